'use strict'
// flying-squid as an upstream server on a flat world.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const squid = require('flying-squid')
const { until } = require('./scenario')

/** Starts one on a free port; everybody may use its commands. */
async function flyingSquid () {
  const world = fs.mkdtempSync(path.join(os.tmpdir(), 'squid-'))
  process.on('exit', () => fs.rmSync(world, { recursive: true, force: true }))
  const server = squid.createMCServer({
    host: '127.0.0.1',
    port: 0,
    version: '1.12.2',
    'online-mode': false,
    'max-players': 10,
    motd: 'flying-squid',
    gameMode: 0,
    difficulty: 1,
    worldFolder: world,
    generation: { name: 'superflat', options: {} },
    'view-distance': 4,
    kickTimeout: 30000,
    'everybody-op': true,
    logging: false,
    plugins: {},
    'max-entities': 100,
    'player-list-text': { header: { text: 'h' }, footer: { text: 'f' } }
  })
  await until('flying-squid listens', () => server.isReady, 60)
  return server
}

module.exports = { flyingSquid }
