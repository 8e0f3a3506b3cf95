// The total of one item over all sales in level.
//
//     scan.js load FOLDER FILE              the sales of FILE, a line of JSON each
//     scan.js scan FOLDER ITEM COUNT WAY    prints the milliseconds of the best of COUNT scans, and
//                                           the total
'use strict';
const fs = require('fs');
const { open, ways } = require('./store');

async function load(folder, file) {
    const { db, sales } = open(folder);
    const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
    for (let at = 0; at < lines.length; at += 10000) {
        await sales.batch(
            lines.slice(at, at + 10000).map((line, i) => ({
                type: 'put',
                key: String(at + i).padStart(12, '0'),
                value: JSON.parse(line),
            })),
        );
    }
    await db.compactRange?.('', '\xff');
    await db.close();
}

async function scan(folder, item, count, way) {
    const { db, sales } = open(folder);
    let best = Infinity;
    let sum;
    for (let i = 0; i < Number(count); i++) {
        const begun = process.hrtime.bigint();
        sum = await ways[way](sales, item);
        best = Math.min(best, Number(process.hrtime.bigint() - begun) / 1e6);
    }
    await db.close();
    console.log(best.toFixed(3), sum);
}

const [command, ...rest] = process.argv.slice(2);
({ load, scan })[command](...rest);
