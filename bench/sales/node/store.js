// The sales of the peers: level, as in the books, with a sublevel and values in JSON.
'use strict';
const { Level } = require('level');
const { ValueStream } = require('level-read-stream');

exports.open = (folder) => {
    const db = new Level(folder);
    return { db, sales: db.sublevel('sales', { valueEncoding: 'json' }) };
};

// totalSales(item), in each way that level has to read all values.
const chunk = 10000;
const hints = { highWaterMarkBytes: 1 << 20 }; // more at a time: faster than the default, 16 KB

exports.ways = {
    // The way of the books: createValueStream, which is ValueStream today.
    stream: (sales, item) =>
        new Promise((resolve, reject) => {
            let sum = 0;
            new ValueStream(sales)
                .on('data', (sale) => {
                    if (!item || sale.item === item) sum += sale.amount;
                })
                .on('end', () => resolve(sum))
                .on('error', reject);
        }),

    values: async (sales, item) => {
        let sum = 0;
        for await (const sale of sales.values(hints)) {
            if (!item || sale.item === item) sum += sale.amount;
        }
        return sum;
    },

    nextv: async (sales, item) => {
        let sum = 0;
        const values = sales.values(hints);
        for (;;) {
            const some = await values.nextv(chunk);
            if (some.length === 0) break;
            for (const sale of some) {
                if (!item || sale.item === item) sum += sale.amount;
            }
        }
        await values.close();
        return sum;
    },

    all: async (sales, item) => {
        let sum = 0;
        for (const sale of await sales.values(hints).all()) {
            if (!item || sale.item === item) sum += sale.amount;
        }
        return sum;
    },
};
