// The algorithm of the books, without its printing: every subset is made, added up and compared, and
// those with the sum are emitted.
//
//     node subsetsum.js ROUNDS     the 20 integers, sum 0
//
// Prints the milliseconds of the best round and how many matches were delivered.
'use strict';
const EventEmitter = require('events').EventEmitter;

class SubsetSum extends EventEmitter {
    constructor(sum, set) {
        super();
        this.sum = sum;
        this.set = set;
        this.totalSubsets = 0;
    }

    _combine(set, subset) {
        for (let i = 0; i < set.length; i++) {
            const newSubset = subset.concat(set[i]);
            this._combine(set.slice(i + 1), newSubset);
            this._processSubset(newSubset);
        }
    }

    _processSubset(subset) {
        ++this.totalSubsets;
        const res = subset.reduce((prev, item) => prev + item, 0);
        if (res == this.sum) {
            this.emit('match', subset);
        }
    }

    start() {
        this._combine(this.set, []);
        this.emit('end');
    }
}

const numbers = Array.from({ length: 20 }, (_, i) => ((i * 7919 + 13) % 199) - 99);
let best = Infinity;
let matches = 0;
for (let round = 0; round < Number(process.argv[2]); round++) {
    const begun = process.hrtime.bigint();
    const subsetSum = new SubsetSum(0, numbers);
    matches = 0;
    subsetSum.on('match', () => matches++);
    subsetSum.on('end', () => {
        best = Math.min(best, Number(process.hrtime.bigint() - begun) / 1e6);
    });
    subsetSum.start();
}
console.log(best.toFixed(3), matches);
