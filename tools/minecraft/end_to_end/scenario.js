'use strict'
// A scenario says what it has seen, waits within limits, and fails at the first mismatch.

const assert = require('node:assert')

const began = performance.now()
const stops = []

/** Says what was seen to be right. */
function seen (text) {
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5)
  const line = `${seconds} s  ${text}`
  if (process.send) process.send(line)
  else console.log(line)
}

/** What `holds` answers, once it is something; fails after `seconds`. */
async function until (what, holds, seconds = 20) {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const answer = holds()
    if (answer) return answer
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`)
    await pause(0.02)
  }
}

/** What `emitter` says next as `event`; fails after `seconds`. */
async function next (emitter, event, what = event, seconds = 20) {
  let heard
  emitter.once(event, (...args) => { heard = args })
  await until(what, () => heard, seconds)
  return heard[0]
}

function pause (seconds) {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000))
}

/** Fails unless both are the same, to the last bit of a number. */
function same (what, actual, expected) {
  assert.deepStrictEqual(actual, expected, `${what}: ${show(actual)}, not ${show(expected)}`)
}

/** Fails unless `text` has `part` in it. */
function says (what, text, part) {
  assert(String(text).includes(part), `${what}: ${show(text)} says nothing of ${show(part)}`)
}

function show (value) {
  return JSON.stringify(value, (_, it) => typeof it === 'bigint' ? `${it}n` : it)
}

/** Has `stop` run when all went well; the last one given is the first to run. */
function afterwards (stop) {
  stops.unshift(stop)
}

/** Runs a scenario and ends the process. */
async function scenario (run) {
  process.on('unhandledRejection', fail)
  process.on('uncaughtException', fail)
  // Whoever started this is gone.
  process.on('disconnect', () => process.exit(1))
  try {
    await run()
    for (const stop of stops) await stop()
  } catch (error) {
    return fail(error)
  }
  process.exit(0)
}

function fail (error) {
  seen(`FAILED: ${error.stack ?? error}`)
  process.exit(1)
}

module.exports = { afterwards, next, pause, same, says, scenario, seen, show, until }
