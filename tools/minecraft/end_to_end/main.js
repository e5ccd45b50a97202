'use strict'
// Runs every scenario beside the others and prints what each has seen: node main.js [SCENARIO...]
//
// Each is a process group of its own, so that nothing it started outlives it. The environment's
// SAMARA is the server's binary.

const { fork } = require('node:child_process')
const path = require('node:path')

/** Scenarios and the seconds each may take. */
const LIMITS = { status: 60, hand_made: 120, away: 240 }
const TAIL_LINES = 60

async function main (names) {
  const groups = new Set()
  const killAll = () => groups.forEach(kill)
  process.on('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  const results = await Promise.all(names.map(name => run(name, groups)))
  const failed = names.filter((_, at) => !results[at])
  console.log(failed.length > 0 ? `failed: ${failed.join(', ')}` : 'all scenarios passed')
  process.exit(failed.length > 0 ? 1 : 0)
}

function run (name, groups) {
  const lines = []
  const output = []
  const child = fork(path.join(__dirname, `${name}.js`), {
    detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  groups.add(child.pid)
  child.on('message', line => lines.push(line))
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', data => output.push(data.toString()))
  }
  const limit = setTimeout(() => {
    lines.push(`FAILED: not done within ${LIMITS[name]} s`)
    kill(child.pid)
  }, LIMITS[name] * 1000)
  return new Promise(resolve => {
    child.once('close', status => {
      clearTimeout(limit)
      kill(child.pid)
      groups.delete(child.pid)
      console.log(`-- ${name}: ${status === 0 ? 'passed' : 'FAILED'}`)
      lines.forEach(line => console.log(line))
      if (status !== 0) {
        const tail = output.join('').trimEnd().split('\n').slice(-TAIL_LINES)
        console.log(`the last lines of its programs:\n${tail.join('\n')}`)
      }
      resolve(status === 0)
    })
  })
}

function kill (group) {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

const names = process.argv.slice(2)
main(names.length > 0 ? names : Object.keys(LIMITS))
