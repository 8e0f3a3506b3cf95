// A server with habits that an archive has to cope with: chunks, bodies that are packed though nobody
// asked for it, a robots.txt that is redirected, large errors. Prints its URL.
const http = require("http");
const zlib = require("zlib");

const large = "no such page, at length\n".repeat(30000);
const routes = {
  "/robots.txt": (out) => out.writeHead(302, { Location: "/rules.txt" }).end("over there"),
  "/rules.txt": (out) => out.end("User-agent: *\nDisallow:\n"),
  "/": (out) => out.writeHead(200, { "Content-Type": "text/html" }).end(
    ["chunks", "packed", "large", "moved"].map((to) => `<a href="/${to}">${to}</a>`).join("\n")),
  "/chunks": (out) => {
    out.writeHead(200, { "Content-Type": "text/html" });
    out.write("<a href='/behind'>");
    setTimeout(() => out.end("behind chunks</a>"), 20);
  },
  "/packed": (out) => {
    const body = zlib.gzipSync("<a href='/within'>within what is packed</a>");
    out.writeHead(200, { "Content-Type": "text/html", "Content-Encoding": "gzip", "Content-Length": body.length }).end(body);
  },
  "/behind": (out) => out.writeHead(204).end(),
  "/within": (out) => out.writeHead(200, { "Content-Type": "text/plain", "Content-Length": 0 }).end(),
  "/large": (out) => out.writeHead(404, { "Content-Type": "text/plain" }).end(large),
  "/moved": (out) => out.writeHead(301, { Location: "/" }).end("it is at the front"),
};

const server = http.createServer((request, out) => {
  (routes[request.url] ?? ((it) => it.writeHead(404).end()))(out);
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
