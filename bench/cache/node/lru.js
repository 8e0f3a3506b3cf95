// lru-cache on the traces of cache.c.
//
//     node lru.js hits|set|get|fresh-set|fresh-get FILE
//
// The same keys and values, 10,000 entries. The best of some rounds counts; the first ones are for the
// compiler. The strings are made before: a key is the same object each time it is asked for, with its
// hash known, which is the best case. fresh: a key is a piece of what was received, as in a server, so
// it has to be made a string first, and hashed.
'use strict'

const { readFileSync } = require('fs')
const { LRUCache } = require('lru-cache')

const ROUNDS = 7
const [, , what, file] = process.argv
const bytes = readFileSync(file)
const trace = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
const last = trace.reduce((most, number) => Math.max(most, number), 0)
const names = Array.from({ length: last + 1 }, (_, i) => 'key:' + String(i).padStart(7, '0'))
const value = 'a value of thirty-two bytes: 012'

const fresh = what.startsWith('fresh')
const received = fresh ? Buffer.from(Array.from(trace, number => names[number]).join('')) : null
const size = names[0].length

function known (i) { return names[trace[i]] }
function piece (i) { return received.latin1Slice(i * size, (i + 1) * size) }
const key = fresh ? piece : known

function getAndSet (cache) {
  let hits = 0
  for (let i = 0; i < trace.length; i++) {
    const name = key(i)
    if (cache.get(name) === undefined) cache.set(name, value)
    else hits++
  }
  return hits
}

function get (cache) {
  let sum = 0
  for (let i = 0; i < trace.length; i++) {
    const found = cache.get(key(i))
    if (found !== undefined) sum += found.length
  }
  return sum
}

function nanoseconds (work) {
  const begin = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - begin)
}

let best = Infinity
let hits = 0
for (let round = 0; round < ROUNDS; round++) {
  const cache = new LRUCache({ max: 10000 })
  let took = nanoseconds(() => { hits = getAndSet(cache) })
  if (what.endsWith('get')) took = nanoseconds(() => get(cache))
  best = Math.min(best, took)
}
console.log(what === 'hits' ? (hits / trace.length).toFixed(4) : Math.round(trace.length * 1e9 / best))
