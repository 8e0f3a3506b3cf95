// The smallest server on Node's own http module that gives the same answer. The length is told, so
// that it is sent in one piece and not in chunks; keep-alive and the date are Node's defaults.
'use strict';
const http = require('http');

const body = Buffer.from('hello\n');
const server = http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': body.length });
    response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
