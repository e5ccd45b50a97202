'use strict'
// An upstream server made by hand, and players who keep every packet they get.

const protocol = require('minecraft-protocol')
const Chunk = require('prismarine-chunk')('1.12.2')
const { Vec3 } = require('vec3')
const { next, until } = require('./scenario')

const HOST = '127.0.0.1'
const VERSION = '1.12.2'

/** The packets one side of a connection gets, in their order. */
class Tape {
  constructor (client) {
    this.client = client
    this.packets = []
    this.ended = false
    client.on('packet', (data, { name }) => this.packets.push({ name, data }))
    client.on('end', () => { this.ended = true })
    client.on('error', error => console.error(error))
  }

  /** All packets of a name, those after the first `from` packets. */
  all (name, from = 0) {
    return this.packets.slice(from).filter(it => it.name === name).map(it => it.data)
  }

  /** The first such packet that `matches`, once it is there. */
  find (name, matches = () => true, from = 0) {
    return until(`a packet ${name}`, () => this.all(name, from).find(matches))
  }

  /** How many packets there are, to look only at those that follow. */
  get length () {
    return this.packets.length
  }

  write (name, data) {
    this.client.write(name, data)
  }

  async leave () {
    this.client.end()
    await until('the end', () => this.ended)
  }
}

/** A server that does nothing by itself once a player has logged in. */
class Upstream {
  static async start (options) {
    const server = protocol.createServer({
      host: HOST, port: 0, version: VERSION, keepAlive: false, hideErrors: true, ...options
    })
    await next(server, 'listening')
    return new Upstream(server)
  }

  constructor (server) {
    this.server = server
    this.port = server.socketServer.address().port
    this.sessions = []
    server.on('playerJoin', client => this.sessions.push(new Tape(client)))
  }

  /** The player's session, once there are `count` of that name. */
  session (username, count = 1) {
    return until(`${username} upstream`, () => {
      return this.sessions.filter(it => it.client.username === username)[count - 1]
    })
  }

  close () {
    this.server.close()
  }
}

/** Somebody who logs in on `port`; packets are kept from the first one on. */
function player (username, port) {
  const client = protocol.createClient({
    host: HOST, port, username, auth: 'offline', version: VERSION, hideErrors: true
  })
  return new Tape(client)
}

/** Puts a player into a world of one column. */
function greet (session) {
  session.write('login', {
    entityId: 77,
    gameMode: 0,
    dimension: 0,
    difficulty: 1,
    maxPlayers: 20,
    levelType: 'default',
    reducedDebugInfo: false
  })
  session.write('spawn_position', { location: { x: 8, y: 64, z: 8 } })
  session.write('map_chunk', column(0, 0, true))
  session.write('position', place(8.5, 65, 8.5, 1))
  session.write('update_health', { health: 20, food: 20, foodSaturation: 5 })
}

/** A packet with a column of one block; only the overworld has light from the sky. */
function column (x, z, skyLightSent) {
  const chunk = new Chunk({ skyLightSent })
  chunk.setBlockStateId(new Vec3(8, 64, 8), 1 << 4)
  return {
    x,
    z,
    groundUp: true,
    bitMap: chunk.getMask(),
    chunkData: chunk.dump(),
    blockEntities: []
  }
}

function place (x, y, z, teleportId, flags = 0) {
  return { x, y, z, yaw: 90, pitch: 10, flags, teleportId }
}

module.exports = { Upstream, column, greet, place, player }
