'use strict'
// Samara itself, on a free port, until the scenario ends.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { afterwards, same, until } = require('./scenario')

/** Starts the server with these sections of a configuration and answers its port. */
async function samara (sections) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'samara-'))
  const config = path.join(scratch, 'samara.toml')
  fs.writeFileSync(config, `[net]\nbind = ["127.0.0.1"]\nport = 0\n${sections}\n`)
  const server = spawn(process.env.SAMARA, ['serve', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe']
  })
  process.on('exit', () => {
    server.kill('SIGKILL')
    fs.rmSync(scratch, { recursive: true, force: true })
  })
  let status
  server.once('exit', (code, signal) => { status = code ?? signal })
  afterwards(async () => {
    server.kill('SIGTERM')
    await until('the server ends', () => status !== undefined)
    same("the server's status", status, 0)
  })
  let port
  readline.createInterface({ input: server.stderr }).on('line', line => {
    console.error(line)
    port ??= line.match(/listening on tcp 127\.0\.0\.1:(\d+)/)?.[1]
  })
  await until('the server listens', () => port || status !== undefined)
  same("the server's status", status, undefined)
  return Number(port)
}

module.exports = { samara }
