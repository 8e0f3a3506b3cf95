// What async_hooks and AsyncLocalStorage add to an asynchronous step in Node: nanoseconds a step.
//
//     node hooks.js immediate|promise plain|hooks|context|set COUNT
//
// 64 chains side by side: each step that is over begins the next. A step is over
//     immediate   by setImmediate, after the loop has looked for I/O: 64 steps a look
//     promise     by await: a promise that is settled already
// and besides there is
//     plain       nothing
//     hooks       an async hook of four empty functions
//     context     AsyncLocalStorage.run around all of it, and each step asks for the store
//     set         AsyncLocalStorage.run around each step, which asks for the store; only immediate
//
// Ten runs over COUNT steps after a warm-up; the best counts.
'use strict'

const { AsyncLocalStorage, createHook } = require('async_hooks')

const RUNS = 10
const CHAINS = 64
const storage = new AsyncLocalStorage()
const value = { value: 1 }
let answer

const [how, what, countText] = process.argv.slice(2)
const count = Number(countText)

const asks = what === 'context' || what === 'set'
const ask = asks ? () => { answer = storage.getStore() } : () => {}

// Each does so many steps in one chain.
const chains = {
  immediate (steps, whenDone) {
    const step = () => {
      ask()
      if (--steps === 0) whenDone()
      else begin()
    }
    const begin = what === 'set'
      ? () => storage.run(value, () => setImmediate(step))
      : () => setImmediate(step)
    begin()
  },
  async promise (steps, whenDone) {
    for (let i = 0; i < steps; i++) {
      await undefined
      ask()
    }
    whenDone()
  }
}

const wraps = {
  plain: run => run(),
  hooks: run => {
    createHook({ init () {}, before () {}, after () {}, destroy () {} }).enable()
    run()
  },
  context: run => storage.run(value, run),
  set: run => run()
}

if (!chains[how] || !wraps[what] || !(count >= CHAINS) || (how === 'promise' && what === 'set')) {
  console.error('usage: hooks.js immediate|promise plain|hooks|context|set COUNT')
  process.exit(2)
}

let best = Infinity
function round (left) {
  const each = Math.floor(count / CHAINS)
  const begun = process.hrtime.bigint()
  let running = CHAINS
  const chainDone = () => {
    if (--running > 0) return
    const took = Number(process.hrtime.bigint() - begun) / (each * CHAINS)
    if (left < RUNS) best = Math.min(best, took) // the first one warms up
    if (left > 0) setImmediate(round, left - 1)
    else console.log(best.toFixed(2))
  }
  for (let i = 0; i < CHAINS; i++) chains[how](each, chainDone)
}
wraps[what](() => round(RUNS))
process.on('exit', () => {
  if (asks && answer !== value) process.exitCode = 1 // what was measured is worth nothing
})
