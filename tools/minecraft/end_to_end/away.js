'use strict'
// A player walks on a flying-squid server through Samara, is away for 65 seconds while the world
// goes on, comes back, and finds everything as it is by then.

const { createHash } = require('node:crypto')
const mineflayer = require('mineflayer')
const protocol = require('minecraft-protocol')
const { samara } = require('./samara')
const { flyingSquid } = require('./squid')
const { next, pause, same, says, scenario, seen, show, until } = require('./scenario')

const HOST = '127.0.0.1'
const AWAY_SECONDS = 65
// It asks for a sign of life every 4 s and gives up after 30 s.
const LEAST_KEEPALIVES = 14

scenario(async () => {
  const squid = await flyingSquid()
  const port = await samara(`[minecraft]\nupstream = "${HOST}:${squid.listeningPort}"\nplayers = ["Walker"]`)
  seen(`flying-squid listens on port ${squid.listeningPort}, samara on ${port}`)
  let walker = await join('Walker', port)
  const session = upstreamSession(squid)
  seen(`Walker joins through samara and is at ${walker.entity.position}`)
  const builder = await join('Builder', squid.listeningPort)
  const visitor = await join('Visitor', squid.listeningPort)
  await play(walker, builder, visitor, squid)

  const before = snapshot(walker)
  const left = performance.now()
  let keepalives = 0
  session.on('keep_alive', () => keepalives++)
  walker.quit()
  await next(walker, 'end')
  seen(`Walker leaves; ${columns(before)}`)
  const changes = await meanwhile(builder, visitor, before.position)
  await pause(AWAY_SECONDS - (performance.now() - left) / 1000)
  same('the session upstream', upstreamSession(squid), session)
  const status = await protocol.ping({ host: HOST, port: squid.listeningPort, version: '1.12.2' })
  same('players upstream', status.players.online, 2)
  if (keepalives < LEAST_KEEPALIVES) throw new Error(`only ${keepalives} keepalives answered`)
  seen(`after ${AWAY_SECONDS} s flying-squid still lists Walker; ${keepalives} keepalives answered`)

  walker = await join('Walker', port)
  same('the session upstream', upstreamSession(squid), session)
  seen('Walker joins again, in the same session upstream')
  await found(walker, before, changes)
  await entities(walker, builder)
  await chat(walker, builder)
  await refused(port)
  builder.chat('/kick Walker enough for today')
  says('reason', await next(walker, 'kicked'), 'enough for today')
  seen('kicked upstream: Walker is told the reason')
})

async function join (username, port) {
  const bot = mineflayer.createBot({
    host: HOST, port, username, auth: 'offline', version: '1.12.2', hideErrors: true
  })
  bot.on('error', error => console.error(username, error))
  bot.on('kicked', reason => console.error(username, 'kicked:', reason))
  await next(bot, 'spawn', `${username} spawns`)
  return bot
}

function upstreamSession (squid) {
  return squid.players.find(player => player.username === 'Walker')?._client
}

/** Walks, is given something, chooses a slot, sees others and a block change. */
async function play (walker, builder, visitor, squid) {
  // Only now does flying-squid send all columns, and not the nearest 36 alone.
  await walker.look(0.5, 0, true)
  await until('columns around', () => walker.world.getColumns().length >= 64)
  await until('the others', () => walker.players.Builder?.entity && walker.players.Visitor?.entity)
  const start = walker.entity.position.clone()
  walker.setControlState('forward', true)
  await until('a walk', () => walker.entity.position.distanceTo(start) > 6)
  walker.setControlState('forward', false)
  await until('a stop', () => walker.entity.velocity.x === 0 && walker.entity.velocity.z === 0)
  const place = walker.entity.position
  await until('the same position upstream', () => {
    return squid.players.find(it => it.username === 'Walker').position.equals(place)
  })
  seen(`walks to ${place}; flying-squid agrees`)

  walker.chat('/give Walker stone 5')
  walker.chat('/give Walker diamond_sword 1')
  await until('two things', () => walker.inventory.items().length === 2)
  walker.setQuickBarSlot(3)
  const { x, y, z } = place.floored().offset(1, 0, 1)
  builder.chat(`/setblock ${x} ${y} ${z} 3`)
  await until('a block', () => walker.blockAt(place.floored().offset(1, 0, 1)).name === 'dirt')
  builder.chat('/summon pig')
  await until('a pig', () => mobs(walker).length === 1)
  seen(`is given ${walker.inventory.items().map(item => item.name)}, chooses slot 3, ` +
    'sees two players, a pig and a new block')
}

/** What happens while Walker is away; answers the blocks that are different then. */
async function meanwhile (builder, visitor, [x, y, z]) {
  const changes = []
  const at = [x, y, z].map(Math.floor)
  const offsets = [[1, 0, 1], [2, 0, 2], [-20, 0, 3], [3, -1, 0], [0, 3, 17]]
  for (const [number, offset] of offsets.entries()) {
    const place = at.map((it, axis) => it + offset[axis])
    const block = [41, 57, 1, 0, 20][number]
    builder.chat(`/setblock ${place.join(' ')} ${block}`)
    changes.push({ place, block })
  }
  builder.chat('/summon cow')
  const start = builder.entity.position.clone()
  builder.setControlState('forward', true)
  await until('a walk', () => builder.entity.position.distanceTo(start) > 3)
  builder.setControlState('forward', false)
  visitor.quit()
  seen('meanwhile Builder sets five blocks, summons a cow and walks, and Visitor leaves')
  return changes
}

/** What Walker knows, as values that can be compared. */
function snapshot (bot) {
  const { x, y, z } = bot.entity.position
  const columns = bot.world.getColumns().map(({ chunkX, chunkZ, column }) => {
    return [`${chunkX},${chunkZ}`, createHash('sha256').update(column.dump()).digest('hex')]
  })
  return {
    position: [x, y, z],
    slot: bot.quickBarSlot,
    inventory: bot.inventory.slots.map(it => it && [it.slot, it.type, it.count, it.metadata]),
    columns: Object.fromEntries(columns.sort())
  }
}

function columns (snapshot) {
  return `${Object.keys(snapshot.columns).length} columns are known`
}

async function found (walker, before, changes) {
  await until('as many columns', () => {
    return walker.world.getColumns().length >= Object.keys(before.columns).length
  })
  const after = snapshot(walker)
  same('position', after.position, before.position)
  same('inventory', after.inventory, before.inventory)
  same('slot', after.slot, before.slot)
  const changed = new Set(changes.map(({ place: [x, , z] }) => `${x >> 4},${z >> 4}`))
  for (const [place, hash] of Object.entries(before.columns)) {
    if (!changed.has(place)) same(`column ${place}`, after.columns[place], hash)
  }
  seen(`at the same position, ${show(after.position)}, with the same things and slot; ` +
    `${columns(after)}, ${changed.size} of them changed`)
  const { Vec3 } = require('vec3')
  for (const { place, block } of changes) {
    same(`block at ${place}`, walker.blockAt(new Vec3(...place)).type, block)
  }
  seen(`sees the blocks changed while away: ${changes.map(it => it.block)}`)
}

/** Everybody is where Builder, who never was away, sees them. */
async function entities (walker, builder) {
  const views = () => [mobs(walker), mobs(builder)].map(show)
  await until('mobs where they are', () => {
    const [ours, theirs] = views()
    return mobs(walker).length === 2 && ours === theirs
  })
  seen(`sees the mobs where Builder does, to the last bit: ${views()[0]}`)
  const other = await until('Builder', () => walker.players.Builder?.entity)
  await until('Builder at his place', () => {
    return other.position.distanceTo(builder.entity.position) < 0.01
  })
  same('Visitor', walker.players.Visitor?.entity, undefined)
  seen(`sees Builder at ${other.position}, and Visitor no more`)
}

function mobs (bot) {
  const all = Object.values(bot.entities).filter(it => it.name === 'pig' || it.name === 'cow')
  const views = all.map(({ id, name, position: { x, y, z } }) => [id, name, x, y, z])
  return views.sort(([one], [other]) => one - other)
}

async function chat (walker, builder) {
  for (const [from, to] of [[walker, builder], [builder, walker]]) {
    const text = `hello from ${from.username}`
    // Everybody hears everybody, oneself included, and in no promised order.
    const heard = []
    to.on('chat', (who, what) => heard.push(`${who}: ${what}`))
    from.chat(text)
    await until(text, () => heard.includes(`${from.username}: ${text}`))
  }
  seen('Walker and Builder talk to each other')
}

async function refused (port) {
  const second = protocol.createClient({
    host: HOST, port, username: 'Walker', auth: 'offline', version: '1.12.2', hideErrors: true
  })
  const { reason } = await next(second, 'disconnect', 'a refusal')
  says('reason', reason, 'already attached')
  seen(`a second Walker is refused: ${reason}`)
}
