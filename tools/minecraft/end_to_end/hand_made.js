'use strict'
// What flying-squid cannot do, against a server made by hand: numbers of keepalives, deaths,
// other dimensions, relative teleports, disconnects with a reason, accounts.

const { samara } = require('./samara')
const { pause, same, says, scenario, seen, show, until } = require('./scenario')
const { Upstream, column, greet, place, player } = require('./upstream')

/** For two seconds a failure is told again without another attempt. */
const AFTER_FAILURE = 2.5

/** How these packages call the client's action 0. */
const RESPAWN = 'perform_respawn'

scenario(async () => {
  const upstream = await Upstream.start({ 'online-mode': false })
  const names = ['Keeper', 'Mortal', 'Traveller', 'Guest', 'Twin']
  const port = await serve(upstream, names)
  seen(`an upstream server listens on port ${upstream.port}, samara on ${port}`)
  await Promise.all([
    keepalives(upstream, port),
    death(upstream, port),
    dimension(upstream, port),
    disconnects(upstream, port),
    refusals(upstream, port),
    accounts()
  ])
})

function serve (upstream, names) {
  const address = `upstream = "127.0.0.1:${upstream.port}"`
  return samara(`[minecraft]\n${address}\nplayers = ${JSON.stringify(names)}`)
}

/** Logs in through samara and is greeted upstream. */
async function join (username, upstream, port, count = 1) {
  const client = player(username, port)
  const session = await upstream.session(username, count)
  greet(session)
  await client.find('update_health')
  client.write('teleport_confirm', { teleportId: 1 })
  await session.find('teleport_confirm', it => it.teleportId === 1)
  return [client, session]
}

/** Comes back into a session that lives, and is in the world again. */
async function rejoin (username, port) {
  const client = player(username, port)
  await client.find('update_health')
  return client
}

/** Keepalives of every kind of number are answered with it, whether a client is there or not. */
async function keepalives (upstream, port) {
  const [client, session] = await join('Keeper', upstream, port)
  const answered = async numbers => {
    for (const keepAliveId of numbers) {
      session.write('keep_alive', { keepAliveId })
      await session.find('keep_alive', it => BigInt(it.keepAliveId) === keepAliveId)
    }
  }
  const attached = [1n, 0x0000011f71fb04cbn]
  await answered(attached)
  await client.leave()
  const away = [2n, -1n, 0x7fffffffffffffffn, -0x8000000000000000n, 1_500_000_000_123n]
  await answered(away)
  same('answers', session.all('keep_alive').map(it => BigInt(it.keepAliveId)),
    [...attached, ...away])
  const passed = client.all('keep_alive').map(it => BigInt(it.keepAliveId))
  same('passed on', passed.filter(it => attached.includes(it)), [])
  seen(`keepalives: ${show(attached)} answered beside a client, ${show(away)} without one`)
}

/** A client asks for its respawn itself; while it is away samara does. */
async function death (upstream, port) {
  const [client, session] = await join('Mortal', upstream, port)
  const respawn = { dimension: 0, difficulty: 1, gamemode: 0, levelType: 'default' }
  const dead = { health: 0, food: 20, foodSaturation: 5 }
  const well = { health: 19, food: 18, foodSaturation: 2.5 }
  session.write('update_health', dead)
  await client.find('update_health', it => it.health === 0)
  await pause(1)
  same('respawns asked for', session.all('client_command').length, 0)
  client.write('client_command', { actionId: RESPAWN })
  await session.find('client_command', it => it.actionId === RESPAWN)
  session.write('respawn', respawn)
  session.write('update_health', well)
  await client.find('update_health', it => it.health === 19)
  same('respawns passed on', client.all('respawn').length, 1)
  await client.leave()

  const from = session.length
  session.write('update_health', dead)
  await session.find('client_command', it => it.actionId === RESPAWN, from)
  session.write('respawn', respawn)
  session.write('position', place(1.5, 70, 2.5, 2))
  await session.find('teleport_confirm', it => it.teleportId === 2)
  session.write('update_health', well)
  const again = await rejoin('Mortal', port)
  same('respawns asked for', session.all('client_command', from).length, 1)
  same('health', again.all('update_health'), [well])
  same('respawns replayed', again.all('respawn').length, 0)
  seen('death: the client asks for its respawn; away, samara asks once, and all is well again')
}

/** The world changes while the player is away, who then comes back into the new one. */
async function dimension (upstream, port) {
  const [client, session] = await join('Traveller', upstream, port)
  await client.leave()
  session.write('respawn', { dimension: -1, difficulty: 2, gamemode: 1, levelType: 'flat' })
  const columns = [column(6, -2, false), column(7, -2, false)]
  columns.forEach(it => session.write('map_chunk', it))
  session.write('block_change', { location: { x: 100, y: 64, z: -20 }, type: 57 << 4 })
  session.write('position', place(100.5, 70.25, -20.125, 2))
  const x = 100.5
  const moved = await session.find('position_look', it => it.x === x)
  same('where samara is', [moved.y, moved.z, moved.onGround], [70.25, -20.125, false])
  session.write('position', { ...place(1, -0.25, 0, 3, 0b11111), yaw: 5, pitch: -5 })
  const relative = await session.find('position_look', it => it.x === x + 1)
  same('where samara is', [relative.y, relative.z, relative.yaw, relative.pitch],
    [70, -20.125, 95, 5])
  session.write('window_items', { windowId: 0, items: inventory() })
  session.write('update_health', { health: 12, food: 11, foodSaturation: 1 })
  const confirmed = session.all('teleport_confirm').map(it => it.teleportId)
  same('confirmed', confirmed, [1, 2, 3])
  seen('away: teleports, absolute and relative, are confirmed and answered')

  const again = await rejoin('Traveller', port)
  const [login, ...more] = again.all('login')
  same('greetings', more, [])
  same('world', [login.entityId, login.dimension, login.difficulty, login.gameMode,
    login.levelType], [77, -1, 2, 1, 'flat'])
  same('respawns', again.all('respawn').length, 0)
  const known = again.all('map_chunk').map(({ x, z, chunkData }) => [x, z, chunkData])
  same('columns', known.sort(), columns.map(({ x, z, chunkData }) => [x, z, chunkData]))
  const [change] = again.all('multi_block_change')
  same('block', change.records, [{ horizontalPos: 0x4c, y: 64, blockId: 57 << 4 }])
  const [at] = again.all('position')
  same('place', [at.x, at.y, at.z, at.yaw, at.pitch, at.flags], [x + 1, 70, -20.125, 95, 5, 0])
  same('health', again.all('update_health').map(it => it.health), [12])
  again.write('teleport_confirm', { teleportId: at.teleportId })
  again.write('chat', { message: 'back' })
  await session.find('chat')
  same('confirmed', session.all('teleport_confirm').map(it => it.teleportId), confirmed)
  seen('another dimension: only its columns, byte by byte, and the block changed in one; ' +
    'the place, the health; no respawn and no confirm that nobody asked for')
}

function inventory () {
  return Array.from({ length: 46 }, (_, slot) => {
    return slot === 36 ? { blockId: 1, itemCount: 64, itemDamage: 0 } : { blockId: -1 }
  })
}

/** A reason is passed on at once, or kept until the next login, which is then a new session. */
async function disconnects (upstream, port) {
  const reason = text => JSON.stringify({ text })
  const [client, session] = await join('Guest', upstream, port)
  session.client.end(undefined, reason('the first reason'))
  const told = await client.find('kick_disconnect')
  says('reason', told.reason, 'the first reason')
  seen(`a disconnect beside a client: ${told.reason}`)

  await pause(AFTER_FAILURE)
  const [second, another] = await join('Guest', upstream, port, 2)
  await second.leave()
  another.client.end(undefined, reason('the second reason'))
  await until('the end upstream', () => another.ended)
  const late = await player('Guest', port).find('disconnect')
  says('reason', late.reason, 'the second reason')
  await pause(AFTER_FAILURE)
  await join('Guest', upstream, port, 3)
  seen(`a disconnect while away, told at the next login: ${late.reason}`)
}

/** Who is not listed, and who is there already. */
async function refusals (upstream, port) {
  const stranger = await player('Stranger', port).find('disconnect')
  same('sessions', upstream.sessions.some(it => it.client.username === 'Stranger'), false)
  seen(`a name that is not listed: ${stranger.reason}`)
  const [client] = await join('Twin', upstream, port)
  const second = await player('Twin', port).find('disconnect')
  says('reason', second.reason, 'already attached')
  same('the first client', client.ended, false)
  seen(`a name that is in use: ${second.reason}`)
}

/** An upstream server that wants accounts, and later one that is not there. */
async function accounts () {
  const upstream = await Upstream.start({ 'online-mode': true })
  const port = await serve(upstream, ['Guest'])
  const { reason } = await player('Guest', port).find('disconnect')
  says('reason', reason, 'online mode')
  seen(`an upstream server with accounts: ${reason}`)
  upstream.close()
  await pause(AFTER_FAILURE)
  const gone = await player('Guest', port).find('disconnect')
  seen(`an upstream server that is not there: ${gone.reason}`)
}
