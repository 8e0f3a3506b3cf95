// check.js FILE INDEX [killed]: reads an archive with warcio, and says what is in it.
//
// Every record: whole, its digests right, its head such that it fits its body; requests and answers
// name each other; a revisit refers to an answer that has this body. Every line of the index: in order,
// and where it leads to is the record. With "killed" the last record may be cut off, and the index may
// be out of order.
//
// Prints "<what> <how many>" and a line "<type> <status> <url>" for each answer; for a 304 that says of
// which answer it is also "dated <url> <digest> <url that it refers to>". What is wrong goes to the
// standard error, and then it exits with 1.
const fs = require("fs");
const crypto = require("crypto");
const { WARCParser } = require("warcio");

const [file, index, how] = process.argv.slice(2);
const killed = how === "killed";
let wrong = 0;

function bad(...words) {
  if (wrong++ < 20) console.error(...words);
}
console.warn = (...words) => bad("warcio warns:", ...words);

function digest(bytes) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let bits = 0n, text = "";
  for (const byte of crypto.createHash("sha1").update(bytes).digest()) bits = (bits << 8n) | BigInt(byte);
  for (let i = 155n; i >= 0n; i -= 5n) text += letters[Number((bits >> i) & 31n)];
  return "sha1:" + text;
}

function split(block) {
  const at = Buffer.from(block).indexOf("\r\n\r\n");
  return at < 0 ? null : { head: Buffer.from(block.slice(0, at + 4)).toString("latin1"), body: block.slice(at + 4) };
}

function fieldOf(head, name) {
  const found = head.match(new RegExp("^" + name + ":[ \\t]*(.*?)[ \\t]*\\r?$", "im"));
  return found ? found[1] : null;
}

function source(bytes) {
  return (async function* () {
    for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536);
  })();
}

// All records that are whole; false as the last one if the end is cut off.
async function read(bytes) {
  const records = [];
  const parser = new WARCParser(source(bytes), { parseHttp: false, keepHeadersCase: true });
  try {
    for await (const record of parser) {
      const offset = parser.offset;
      const block = await record.readFully(false);
      const get = (name) => record.warcHeaders.headers.get(name) ?? null;
      if (get("Content-Length") === null || block.length !== Number(get("Content-Length"))) return [records, false];
      records.push({ offset, block, get, type: get("WARC-Type"), version: record.warcHeaders.statusline });
    }
  } catch (error) {
    return [records, error];
  }
  return [records, true];
}

function checkRecord(record, known) {
  const { get, type, block } = record;
  const where = `${type} at ${record.offset}`;
  const id = get("WARC-Record-ID");
  if (!/^WARC\/1\.1/.test(record.version)) bad(where, "version", record.version);
  if (!/^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/.test(id)) bad(where, "id", id);
  if (known.ids.has(id)) bad(where, "the id is there twice");
  known.ids.set(id, record);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(get("WARC-Date"))) bad(where, "date", get("WARC-Date"));
  if (get("WARC-Block-Digest") !== digest(block)) bad(where, "the block's digest");
  if (type === "warcinfo") return;
  if (get("WARC-IP-Address") !== "127.0.0.1") bad(where, "address", get("WARC-IP-Address"));
  if (known.ids.get(get("WARC-Warcinfo-ID"))?.type !== "warcinfo") bad(where, "refers to no warcinfo");
  const parts = split(block);
  if (parts === null) return bad(where, "has no head");
  record.parts = parts;
  if (type === "request") return checkRequest(record, where);
  checkAnswer(record, where, known);
}

function checkRequest(record, where) {
  const { get, parts } = record;
  const url = new URL(get("WARC-Target-URI"));
  const target = get("WARC-Target-URI").slice(url.origin.length);
  if (!parts.head.startsWith(`GET ${target} HTTP/1.1\r\n`)) bad(where, parts.head);
  if (fieldOf(parts.head, "Host") !== url.host) bad(where, "Host");
  if (parts.body.length !== 0) bad(where, "has a body");
  if (get("Content-Type") !== "application/http;msgtype=request") bad(where, get("Content-Type"));
}

function checkAnswer(record, where, known) {
  const { get, parts, type } = record;
  const request = known.ids.get(get("WARC-Concurrent-To"));
  record.status = Number(parts.head.split(" ")[1]);
  if (request?.type !== "request" || request.get("WARC-Concurrent-To") !== get("WARC-Record-ID") ||
      request.get("WARC-Target-URI") !== get("WARC-Target-URI"))
    bad(where, "request and answer do not fit");
  for (const name of ["Transfer-Encoding", "Content-Encoding"])
    if (fieldOf(parts.head, name) !== null) bad(where, "has", name);
  const length = fieldOf(parts.head, "Content-Length");
  if (get("Content-Type") !== "application/http;msgtype=response") bad(where, get("Content-Type"));
  if (type === "response") {
    if (length !== null && get("WARC-Truncated") === null && Number(length) !== parts.body.length) bad(where, "the length of the body");
    if (get("WARC-Payload-Digest") !== digest(parts.body)) bad(where, "the digest of the body");
    known.bodies.set(get("WARC-Payload-Digest") + get("WARC-Target-URI") + get("WARC-Date"), true);
    return;
  }
  if (parts.body.length !== 0) bad(where, "has a body");
  if (get("WARC-Profile") === "http://netpreserve.org/warc/1.1/revisit/server-not-modified") {
    if (record.status !== 304) bad(where, "status", record.status);
    if (get("WARC-Refers-To-Date") === null) {
      if (get("WARC-Refers-To-Target-URI") !== get("WARC-Target-URI")) bad(where, "refers to another URL");
      if (get("WARC-Payload-Digest") !== null || get("WARC-Refers-To") !== null) bad(where, "knows more than it says");
      return;
    }
    record.dated = true;
    if (known.ids.get(get("WARC-Refers-To"))?.get("WARC-Date") !== get("WARC-Refers-To-Date")) bad(where, "the date of another record");
    if (!known.bodies.has(get("WARC-Payload-Digest") + get("WARC-Refers-To-Target-URI") + get("WARC-Refers-To-Date")))
      bad(where, "refers to nothing");
    return;
  }
  if (get("WARC-Profile") !== "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest") bad(where, "profile");
  if (!known.bodies.has(get("WARC-Payload-Digest") + get("WARC-Refers-To-Target-URI") + get("WARC-Refers-To-Date")))
    bad(where, "refers to nothing");
}

async function checkLine(line, bytes, answers) {
  const [, key, time, json] = line.match(/^(\S+) (\d{14}) (\{.*\})$/) ?? [];
  if (key === undefined) return bad("no line:", line);
  const it = JSON.parse(json);
  const record = answers.get(Number(it.offset));
  if (record === undefined) return bad("leads to no answer:", line);
  answers.delete(Number(it.offset));
  const [alone] = await read(bytes.subarray(Number(it.offset), Number(it.offset) + Number(it.length)));
  if (alone.length !== 1 || alone[0].get("WARC-Record-ID") !== record.get("WARC-Record-ID")) bad("is not one record:", line);
  if (it.url !== record.get("WARC-Target-URI") || Number(it.status) !== record.status ||
      it.digest !== (record.get("WARC-Payload-Digest") ?? "-") || it.filename !== require("path").basename(file) ||
      time !== record.get("WARC-Date").replace(/\D/g, "") ||
      (it.mime === "warc/revisit") !== (record.type === "revisit"))
    bad("is not the record's:", line);
}

(async () => {
  const bytes = fs.readFileSync(file);
  const [records, end] = await read(bytes);
  const known = { ids: new Map(), bodies: new Map() }, counts = {}, answers = new Map();
  for (const record of records) {
    checkRecord(record, known);
    counts[record.type] = (counts[record.type] ?? 0) + 1;
    if (record.type !== "response" && record.type !== "revisit") continue;
    answers.set(record.offset, record);
    console.log(record.type, record.status, record.get("WARC-Target-URI"));
    if (record.dated)
      console.log("dated", record.get("WARC-Target-URI"), record.get("WARC-Payload-Digest"), record.get("WARC-Refers-To-Target-URI"));
  }
  if (end !== true && !killed) bad("it is cut off:", end);
  const text = fs.readFileSync(index, "latin1"), lines = text.split("\n");
  const last = lines.pop();
  if (last !== "" && !killed) bad("the index is cut off");
  for (const line of lines) await checkLine(line, bytes, answers);
  const allowed = killed ? 4 : 0; // written, but not in the index: at most one for each thread
  if (answers.size > allowed) bad(answers.size, "answers are not in the index");
  const sorted = [...lines].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (!killed && sorted.some((line, i) => line !== lines[i])) bad("the index is out of order");
  for (const type of Object.keys(counts).sort()) console.log(type, counts[type]);
  console.log("lines", lines.length);
  process.exit(wrong > 0 ? 1 : 0);
})();
