// The trace, from what apps/trace/page.c has packed into the page.

// Numbers of seven bits a byte; more than 28 bits need arithmetic instead of shifts.
function unpack(id) {
  const bytes = atob(document.getElementById(id).textContent);
  let at = 0;
  return function next() {
    let byte = bytes.charCodeAt(at++), number = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = bytes.charCodeAt(at++);
      number += (byte & 127) * scale;
    }
    return number;
  };
}

function signed(number) {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

function readOps(count) {
  const next = unpack('data-ops'), numbers = () => new Float64Array(count), indices = () => new Int32Array(count);
  const ops = {
    count, begin: numbers(), end: numbers(), running: numbers(), queued: numbers(), promise: indices(), parent: indices(), type: indices(),
    site: indices(), status: indices(), thread: indices(), calls: indices(), flags: indices(),
    high: numbers(), low: numbers(),
  };
  for (let i = 0, time = 0; i < count; i++) {
    time += next();
    ops.begin[i] = time;
    ops.end[i] = time + next();
    ops.running[i] = next();
    ops.queued[i] = next();
    ops.promise[i] = next() - 1;
    const up = next();
    ops.parent[i] = up === 0 ? -1 : i - signed(up);
    for (const column of [ops.type, ops.site, ops.status, ops.thread, ops.calls, ops.flags, ops.high, ops.low])
      column[i] = next();
  }
  return ops;
}

function readCalls(count) {
  const next = unpack('data-calls'), numbers = () => new Float64Array(count), indices = () => new Int32Array(count);
  const calls = {
    count, begin: numbers(), end: numbers(), self: numbers(), op: indices(), type: indices(),
    thread: indices(), entry: indices(), status: indices(), outcome: indices(),
  };
  for (let i = 0, time = 0; i < count; i++) {
    time += signed(next());
    calls.begin[i] = time;
    calls.end[i] = time + next();
    calls.self[i] = next();
    calls.op[i] = next() - 1;
    for (const column of [calls.type, calls.thread, calls.entry, calls.status, calls.outcome])
      column[i] = next();
  }
  return calls;
}

// Members by owner: those of i are list[first[i]] up to list[first[i + 1]], in their order.
function groupBy(owner, count, owners) {
  const first = new Int32Array(owners + 1), list = new Int32Array(count);
  for (let i = 0; i < count; i++)
    if (owner[i] >= 0) first[owner[i] + 1]++;
  for (let i = 0; i < owners; i++) first[i + 1] += first[i];
  const next = first.slice();
  for (let i = 0; i < count; i++)
    if (owner[i] >= 0) list[next[owner[i]]++] = i;
  return { first, list };
}

function readTrace() {
  const json = id => JSON.parse(document.getElementById(id).textContent);
  const names = json('data-names');
  const trace = {
    analysis: json('data-analysis'), texts: names.texts, types: names.types, threads: names.threads,
    ops: readOps(names.ops), calls: readCalls(names.calls),
  };
  trace.span = Math.max(1, trace.analysis.span);
  trace.callsOf = groupBy(trace.calls.op, trace.calls.count, trace.ops.count);
  trace.childrenOf = groupBy(trace.ops.parent, trace.ops.count, trace.ops.count);
  trace.callsOn = groupBy(trace.calls.thread, trace.calls.count, trace.threads.length);
  trace.groups = [...new Set(trace.types.map(type => type[1]))]
    .map(text => ({ text, name: trace.texts[text] || 'other', hue: hueOf(trace.texts[text]) }));
  trace.groupOf = Int32Array.from(trace.types, type => trace.groups.findIndex(group => group.text === type[1]));
  return trace;
}

// ---- what is said about it

const ENDED = 1, HANDLE = 2, TEXT_ID = 4;

const HUES = {
  user: 214, loop: 230, flow: 262, queue: 288, timer: 44, fs: 96, dns: 348, net: 190, process: 18,
  signal: 62, http: 160, promise: 318, thread: 30, cache: 126,
};

function hueOf(group) {
  if (group in HUES) return HUES[group];
  let hue = 7;
  for (const letter of group) hue = (hue * 31 + letter.codePointAt(0)) % 360;
  return hue;
}

// Three digits that count: "310 ms", "4.20 µs". The same as `weft trace summary` prints.
function showTime(ns) {
  const units = ['ns', 'µs', 'ms', 's'];
  let value = Math.abs(ns), unit = 0;
  while (value >= 999.5 && unit < 3) { value /= 1000; unit++; }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return (ns < 0 ? '-' : '') + value.toFixed(digits) + ' ' + units[unit];
}

function showCount(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function typeName(trace, type) {
  return trace.texts[trace.types[type][0]] || '(unknown)';
}

function groupName(trace, type) {
  return trace.groups[trace.groupOf[type]].name;
}

function idOf(trace, i) {
  const { ops } = trace;
  if (ops.flags[i] & TEXT_ID) return trace.texts[ops.low[i]];
  const low = ops.low[i].toString(16);
  return '0x' + (ops.high[i] > 0 ? ops.high[i].toString(16) + low.padStart(8, '0') : low);
}

function lengthOf(trace, i) {
  return trace.ops.end[i] - trace.ops.begin[i];
}

function waitedOf(trace, i) {
  return Math.max(0, lengthOf(trace, i) - trace.ops.running[i]);
}

// The loop is always there at the end.
function isLoop(trace, i) {
  return Boolean(trace.ops.flags[i] & HANDLE) && typeName(trace, trace.ops.type[i]) === 'loop';
}

function resultOf(trace, i) {
  if (!(trace.ops.flags[i] & ENDED) && !isLoop(trace, i)) return 'never destroyed';
  return trace.texts[trace.ops.status[i]];
}

function threadName(trace, thread) {
  const [, number, name] = trace.threads[thread];
  return trace.texts[name] || 'thread ' + number;
}

// The first place in list[from..to) whose key is not below value.
function lowerBound(list, key, value, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (key[list[middle]] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// The innermost callback on the operation's thread in which it was begun; -1: there is none. At most
// so many are looked at, since one that encloses it is near.
function causeOf(trace, i) {
  const { first, list } = trace.callsOn, { calls } = trace;
  const thread = trace.ops.thread[i], time = trace.ops.begin[i];
  let at = lowerBound(list, calls.begin, time + .5, first[thread], first[thread + 1]) - 1;
  for (let steps = 0; at >= first[thread] && steps < 1000; at--, steps++)
    if (calls.end[list[at]] >= time && calls.op[list[at]] !== i) return list[at];
  return -1;
}
