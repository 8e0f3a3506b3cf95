// Tiny jobs a second in Piscina: a number goes to one of two worker threads and comes back.
//
//     jobs.js tasks count     tasks: how many at once in a worker (concurrentTasksPerWorker)
//
// As in jobs.c, as many jobs are under way as the workers can have, and as many again wait; the start of the
// workers is not counted.
'use strict';
const {Piscina} = require('piscina');

const tasks = Number(process.argv[2]);
const count = Number(process.argv[3]);
const threads = 2;
const pool = new Piscina({
    filename: require.resolve('./worker.js'),
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: tasks,
});

let begun = 0;
let sum = 0;

async function one() {
    while (begun < count) {
        const number = begun++;
        const answer = await pool.run(number);
        if (answer !== number + 1)
            throw new Error('a wrong answer');
        sum += answer;
    }
}

async function main() {
    await Promise.all([pool.run(0), pool.run(0), pool.run(0), pool.run(0)]);
    const from = process.hrtime.bigint();
    await Promise.all(Array.from({length: 2 * threads * tasks}, one));
    const took = Number(process.hrtime.bigint() - from);
    if (sum !== count * (count + 1) / 2)
        throw new Error('not all were done');
    console.log((count * 1e9 / took).toFixed(0));
    await pool.destroy();
}

main();
