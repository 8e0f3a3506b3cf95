// Where things are drawn: callbacks in rows by thread and depth; operations in rows below their
// parent, so that what belongs together stands together; below them long-lived things.

const ROWS_MOST = 400; // below one parent; what is beyond overlaps

// A place for each of list: rows that are free from the begin of a block to its end, the topmost
// first. Returns how many rows are taken; place(i, row) is told where each goes.
function pack(list, from, to, low, high, height, place) {
  const busy = [];
  for (let at = from; at < to; at++) {
    const i = list[at], tall = Math.min(height[i], ROWS_MOST);
    let row = 0;
    for (let k = 0; k < tall && row + tall <= ROWS_MOST; k++) {
      if (row + k < busy.length && busy[row + k] > low[i]) {
        row += k + 1;
        k = -1;
      }
    }
    if (row + tall > ROWS_MOST) row = at % (ROWS_MOST - tall + 1);
    for (let k = 0; k < tall; k++) busy[row + k] = Math.max(busy[row + k] || 0, high[i]);
    place(i, row);
  }
  return busy.length;
}

// Of each operation the parent that it is drawn below: none below a long-lived thing. Those have
// rows of their own, since one that stays open would keep all rows around it for itself.
function drawnParents(trace) {
  const { ops } = trace;
  return ops.parent.map((parent, i) => parent < 0 || (ops.flags[i] | ops.flags[parent]) & HANDLE ? -1 : parent);
}

// All operations, each before its children; the first of them are the roots.
function topDown(count, parent, { first, list }) {
  const order = new Int32Array(count);
  let size = 0;
  for (let i = 0; i < count; i++)
    if (parent[i] < 0) order[size++] = i;
  const roots = order.slice(0, size);
  for (let at = 0; at < size; at++)
    for (let k = first[order[at]]; k < first[order[at] + 1]; k++) order[size++] = list[k];
  return { order, roots };
}

function layoutOps(trace) {
  const { ops } = trace, parent = drawnParents(trace), children = groupBy(parent, ops.count, ops.count);
  const { order, roots } = topDown(ops.count, parent, children);
  const low = ops.begin.slice(), high = ops.end.slice();
  const height = new Int32Array(ops.count).fill(1), row = new Int32Array(ops.count);
  const place = (i, at) => { row[i] = at; };
  for (let at = ops.count - 1; at >= 0; at--) {
    const i = order[at], up = parent[i];
    height[i] += pack(children.list, children.first[i], children.first[i + 1], low, high, height, place);
    if (up < 0) continue;
    low[up] = Math.min(low[up], low[i]);
    high[up] = Math.max(high[up], high[i]);
  }
  const passing = roots.filter(i => !(ops.flags[i] & HANDLE)), lasting = roots.filter(i => ops.flags[i] & HANDLE);
  const lastingRow = pack(passing, 0, passing.length, low, high, height, place) + (passing.length > 0 ? 1 : 0);
  pack(lasting, 0, lasting.length, low, high, height, place);
  for (const i of lasting) row[i] += lastingRow;
  let rows = 0;
  for (const i of order) {
    if (parent[i] >= 0) row[i] += row[parent[i]] + 1;
    rows = Math.max(rows, row[i] + 1);
  }
  return { row, rows, lastingRow, byRow: groupBy(row, ops.count, rows) };
}

// Callbacks inside of one another go down a row; the first row of each thread has its name above.
function layoutCalls(trace) {
  const { calls, callsOn: { first, list } } = trace;
  const row = new Int32Array(calls.count), threads = [];
  let rows = 0;
  for (let thread = 0; thread < trace.threads.length; thread++) {
    if (first[thread] === first[thread + 1]) continue;
    const open = [];
    let deepest = 0;
    for (let at = first[thread]; at < first[thread + 1]; at++) {
      const i = list[at];
      while (open.length > 0 && open[open.length - 1] <= calls.begin[i]) open.pop();
      row[i] = rows + Math.min(open.length, 11);
      open.push(calls.end[i]);
      deepest = Math.max(deepest, row[i]);
    }
    threads.push({ thread, row: rows, rows: deepest - rows + 1 });
    rows = deepest + 1;
  }
  return { row, rows, threads, byRow: groupBy(row, calls.count, rows) };
}
