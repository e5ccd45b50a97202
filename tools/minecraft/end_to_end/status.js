'use strict'
// The server list: the status as clients of every age ask for it, and a login that is refused.

const net = require('node:net')
const protocol = require('minecraft-protocol')
const { samara } = require('./samara')
const { next, same, says, scenario, seen, show, until } = require('./scenario')

const HOST = '127.0.0.1'
const MOTD = 'Samara §lhere'

scenario(async () => {
  const port = await samara(`[kaillera]\nmax_users = 50\n[minecraft]\nmotd = "${MOTD}"`)
  seen(`samara listens on port ${port}`)
  await modern(port)
  await legacy(port, 'fe', 'fe', [MOTD.replace('§', ''), '0', '50'].join('§'))
  const answer = ['§1', '127', '1.12.2', MOTD, '0', '50'].join('\0')
  await legacy(port, 'fe01', 'fe 01', answer)
  const host = Buffer.from(HOST, 'utf16le').swap16().toString('hex')
  const rest = `4a0009${host}${port.toString(16).padStart(8, '0')}`
  const ping = Buffer.from('MC|PingHost', 'utf16le').swap16().toString('hex')
  await legacy(port, `fe01fa000b${ping}0019${rest}`, 'fe 01 fa MC|PingHost', answer)
  await noLogin(port)
})

async function modern (port) {
  const status = await protocol.ping({ host: HOST, port, version: '1.12.2', closeTimeout: 20000 })
  same('protocol', status.version.protocol, 340)
  same('players', status.players.online, 0)
  same('room', status.players.max, 50)
  same('text', status.description, { text: MOTD })
  same('latency', typeof status.latency, 'number')
  seen(`status: ${show(status)}`)
}

async function legacy (port, request, name, expected) {
  const socket = net.connect(port, HOST)
  const parts = []
  let ended = false
  socket.on('data', part => parts.push(part))
  socket.on('end', () => { ended = true })
  socket.write(Buffer.from(request, 'hex'))
  await until(`an answer to ${name} and the end`, () => ended)
  socket.destroy()
  const answer = Buffer.concat(parts)
  const text = answer.subarray(3).swap16().toString('utf16le')
  same('first byte', answer[0], 0xff)
  same('length', answer.readUInt16BE(1), text.length)
  same('text', text, expected)
  seen(`legacy ${name}: ${show(text)}`)
}

async function noLogin (port) {
  const client = protocol.createClient({
    host: HOST, port, username: 'Guest', auth: 'offline', version: '1.12.2', hideErrors: true
  })
  const { reason } = await next(client, 'disconnect', 'a refusal')
  says('refusal', reason, 'text')
  seen(`login without an upstream server: ${reason}`)
}
