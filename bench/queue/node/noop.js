// No-op tasks in Node, four at once: tasks a second.
//
//     node noop.js fastq|async.queue|taskqueue immediate|tick|at-once COUNT
//
// 64 tasks are pushed; each that is done pushes another until COUNT were pushed. A task is done
//     immediate   by setImmediate, after the loop has looked for I/O. It is what fastq's own
//                 benchmark does, and what keeps a long run of tasks from starving sockets and
//                 timers
//     tick        by process.nextTick: cheaper, but I/O waits until all of them are over
//     at-once     from inside the task; cheapest, starves I/O too, and overflows fastq's stack
'use strict'

const POOL = 64
const WARM_UP = 100000

// The plain pattern: an array, a counter, and next() on the next tick.
class TaskQueue {
  constructor (concurrency) {
    this.concurrency = concurrency
    this.running = 0
    this.queue = []
  }

  pushTask (task) {
    this.queue.push(task)
    process.nextTick(this.next.bind(this))
    return this
  }

  next () {
    while (this.running < this.concurrency && this.queue.length) {
      const task = this.queue.shift()
      task(() => {
        this.running--
        process.nextTick(this.next.bind(this))
      })
      this.running++
    }
  }
}

const finish = {
  immediate: done => setImmediate(done),
  tick: done => process.nextTick(done),
  'at-once': done => done()
}

// Each makes a queue with four places and returns a function that pushes one task, which calls
// then when it is done. What can be made once is made once.
const queues = {
  fastq (work, then) {
    const queue = require('fastq')((item, done) => work(done), 4)
    return () => queue.push(null, then)
  },
  'async.queue' (work, then) {
    const queue = require('async').queue((item, done) => work(done), 4)
    return () => queue.push(null, then)
  },
  taskqueue (work, then) {
    const queue = new TaskQueue(4)
    const task = done => work(() => {
      done()
      then()
    })
    return () => queue.pushTask(task)
  }
}

function run (makeQueue, work, count, whenDone) {
  let pushed = 0
  let done = 0
  const push = makeQueue(work, () => {
    done++
    if (pushed < count) {
      pushed++
      push()
    } else if (done === count) {
      whenDone(Number(process.hrtime.bigint() - begun))
    }
  })
  const begun = process.hrtime.bigint()
  while (pushed < POOL) {
    pushed++
    push()
  }
}

const [name, how, countText] = process.argv.slice(2)
const count = Number(countText)
if (!queues[name] || !finish[how] || !(count >= POOL)) {
  console.error('usage: noop.js fastq|async.queue|taskqueue immediate|tick|at-once COUNT')
  process.exit(2)
}
run(queues[name], finish[how], WARM_UP, () => setImmediate(() => {
  run(queues[name], finish[how], count, ns => console.log(Math.round(count * 1e9 / ns)))
}))
