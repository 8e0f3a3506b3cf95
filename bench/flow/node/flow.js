// What one item costs in each kind of flow of the npm package async: nanoseconds.
//
//     node flow.js each|series|parallel|parallel-8|race|waterfall immediate|tick|microtask|at-once COUNT
//
// The shapes are those of ../flow.c: COUNT items four at once, four steps, a race of one runner
// that wins and one that never comes in. An item is over
//     immediate   by setImmediate, after the loop has looked for I/O: what keeps a long run of items
//                 from starving sockets and timers
//     tick        by process.nextTick; microtask: by queueMicrotask. I/O waits until all are over
//     at-once     by a call from inside the item; I/O waits, and nothing is asynchronous
//
// COUNT items are done in ten runs after a warm-up, and the best run counts.
'use strict'

const async = require('async')

const STEPS = 4
const EIGHT = 8
const WARM_UP = 100000
const RUNS = 10

const finish = {
  immediate: done => setImmediate(done),
  tick: done => process.nextTick(done),
  microtask: done => queueMicrotask(done),
  'at-once': done => done()
}

function mustSucceed (err) {
  if (err) throw err
}

// Each of these makes a function that does so many items, and calls back with how many it did. What
// can be made once is made once.
const kinds = {
  each (over) {
    let done
    const item = (value, callback) => {
      done++
      over(callback)
    }
    return {
      items: count => new Array(count).fill(0),
      run (items, whenDone) {
        done = 0
        async.eachLimit(items, 4, item, err => {
          mustSucceed(err)
          whenDone(done)
        })
      }
    }
  },
  series: over => repeated(STEPS, (steps, then) => async.series(steps, then), () => {
    return new Array(STEPS).fill(callback => over(callback))
  }),
  parallel: over => parallel(STEPS, over),
  'parallel-8': over => parallel(EIGHT, over),
  race: over => repeated(1, (runners, then) => async.race(runners, then), () => {
    return [callback => over(callback), callback => {}]
  }),
  waterfall: over => repeated(STEPS, (steps, then) => async.waterfall(steps, (err, value) => {
    if (value !== STEPS) throw new Error('the value was lost')
    then(err)
  }), () => {
    const fall = (value, callback) => over(() => callback(null, value + 1))
    const first = callback => over(() => callback(null, 1))
    return [first].concat(new Array(STEPS - 1).fill(fall))
  })
}

function parallel (size, over) {
  return repeated(size, (steps, then) => async.parallel(steps, then), () => {
    return new Array(size).fill(callback => over(callback))
  })
}

// One after the other: from the callback of the one before. If that comes at once, from a loop, or
// the stack would grow.
function repeated (size, begin, makeSteps) {
  const steps = makeSteps()
  return {
    items: count => count / size,
    run (times, whenDone) {
      let over = 0
      let looping = false
      const next = () => {
        if (looping) return
        looping = true
        for (let begun = over; begun === over && over < times;) {
          begin(steps, then)
          begun++
        }
        looping = false
      }
      const then = err => {
        mustSucceed(err)
        if (++over === times) whenDone(over * size)
        else next()
      }
      next()
    }
  }
}

function measure (kind, count, whenDone) {
  const items = kind.items(count)
  const begun = process.hrtime.bigint()
  kind.run(items, done => {
    const ns = Number(process.hrtime.bigint() - begun)
    if (done !== count) throw new Error('not every item was done')
    whenDone(ns / count)
  })
}

const [name, how, countText] = process.argv.slice(2)
const count = Number(countText)
if (!kinds[name] || !finish[how] || !(count > 0) || count % (EIGHT * RUNS) !== 0) {
  console.error('usage: flow.js each|series|parallel|parallel-8|race|waterfall ' +
    'immediate|tick|microtask|at-once COUNT; COUNT is a multiple of 80')
  process.exit(2)
}
const kind = kinds[name](finish[how])
function measureBest (left, best) {
  if (left === 0) {
    console.log(best.toFixed(2))
    return
  }
  measure(kind, count / RUNS, ns => setImmediate(measureBest, left - 1, Math.min(best, ns)))
}
measure(kind, WARM_UP, () => setImmediate(measureBest, RUNS, Infinity))
