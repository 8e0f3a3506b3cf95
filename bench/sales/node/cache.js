// The server of the books with their cache: http, url.parse, an object of what is known, and
// nextTick. Behind it is level.
//
//     cache.js FOLDER [as-written]
//
// It differs from the books where that makes it faster: nothing is logged, and the length is told, so
// that an answer is sent in one piece. As written it says on the standard error what it does, and
// leaves the rest to Node. It prints its port.
'use strict';
const http = require('http');
const url = require('url');
const { open, ways } = require('./store');

const { sales } = open(process.argv[2]);
const written = process.argv[3] === 'as-written';
const say = written ? (text) => console.error(text) : () => {};
const queues = {};
const cache = {};

function totalSales(item, callback) {
    ways.nextv(sales, item).then((sum) => callback(null, sum), callback);
}

function totalSalesCache(item, callback) {
    const cached = cache[item];
    if (cached) {
        say('Cache hit');
        return process.nextTick(callback.bind(null, null, cached));
    }
    if (queues[item]) {
        say('Batching operation');
        return queues[item].push(callback);
    }
    queues[item] = [callback];
    totalSales(item, (err, sum) => {
        if (!err) {
            cache[item] = sum;
            setTimeout(() => delete cache[item], 30 * 1000);
        }
        const queue = queues[item];
        queues[item] = null;
        queue.forEach((waiting) => waiting(err, sum));
    });
}

function fields(text) {
    return { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(text) };
}

const server = http.createServer((request, response) => {
    const query = url.parse(request.url, true).query;
    totalSalesCache(query.item, (err, sum) => {
        const text = `Total sales for item ${query.item} is ${sum}\n`;
        response.writeHead(err ? 500 : 200, written ? undefined : fields(text));
        response.end(text);
    });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
