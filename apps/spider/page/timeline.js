// What came when: answers and errors a second, bytes a second, and below them the hosts that rested.
const LANES = { title: 22, pages: 120, gap: 30, bytes: 52, rest: 30, axis: 22 };
const PAGES_Y = LANES.title + LANES.pages, BYTES_Y = PAGES_Y + LANES.gap + LANES.bytes; // where bars stand
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5];

const timeline = { element: $('timeline'), bins: [], binMs: 1, endMs: 1, at: -1 };

const svg = (tag, attributes, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// As many as can be told apart at this width.
function makeBins(width) {
  const slices = data.slices, wanted = Math.max(12, Math.min(slices.length, Math.floor(width / 7)));
  const group = Math.max(1, Math.ceil(slices.length / wanted));
  const bins = [];
  for (let i = 0; i < slices.length; i += group) {
    const bin = { answers: 0, errors: 0, bytes: 0 };
    for (const [answers, errors, size] of slices.slice(i, i + group)) {
      bin.answers += answers; bin.errors += errors; bin.bytes += size;
    }
    bins.push(bin);
  }
  Object.assign(timeline, { bins, binMs: group * data.slice_ms });
  timeline.endMs = Math.max(data.figures.elapsed_ms, bins.length * timeline.binMs, 1);
}

// Of many hosts the ones that rested longest, a row each.
function restRows() {
  const rows = new Map();
  for (const [host, from, to] of data.rests) {
    if (!rows.has(host)) rows.set(host, { host, rests: [], sum: 0 });
    const end = Math.min(to, timeline.endMs), row = rows.get(host);
    if (end <= from) continue;
    row.rests.push([from, end]);
    row.sum += end - from;
  }
  return [...rows.values()].filter(row => row.sum > 0).sort((a, b) => b.sum - a.sum).slice(0, 6);
}

// What the colours of a lane mean at its left, what its height stands for at its right.
function titleOf(root, y, keys, most, width) {
  let left = 0;
  for (const [key, title] of keys) {
    root.append(svg('rect', { class: key, x: left, y: y - 8.5, width: 9, height: 9, rx: 2.5 }), svg('text', { x: left + 14, y }, title));
    left += 74;
  }
  root.append(svg('text', { x: width, y, 'text-anchor': 'end' }, most));
}

function drawBars(root, x, width) {
  const { bins, binMs } = timeline, s = binMs / 1000, { pages, bytes: low } = LANES;
  const most = Math.max(...bins.map(bin => bin.answers + bin.errors), 1), mostBytes = Math.max(...bins.map(bin => bin.bytes), 1);
  const wide = Math.max(1, x(binMs) - x(0) - 1.5);
  const bar = (key, left, y, tall) => svg('rect', { class: key, x: left, y: y - tall, width: wide, height: tall, rx: Math.min(2, wide / 3) });
  bins.forEach((bin, i) => {
    const left = x(i * binMs) + .75, good = bin.answers / most * pages;
    const bad = bin.errors === 0 ? 0 : Math.max(3, bin.errors / most * pages);
    const tall = bin.bytes / mostBytes * low;
    if (good > 0) root.append(bar('good', left, PAGES_Y, good));
    if (bad > 0) root.append(bar('bad', left, PAGES_Y - good - (good > 0 ? 1 : 0), bad));
    if (tall > 0) root.append(bar('bytes', left, BYTES_Y, tall));
  });
  for (const y of [PAGES_Y, BYTES_Y]) root.append(svg('line', { class: 'base', x1: 0, x2: width, y1: y + .5, y2: y + .5 }));
  titleOf(root, 11, [['good', 'answers'], ['bad', 'errors']], `up to ${rate(most / s)} a second`, width);
  titleOf(root, PAGES_Y + LANES.gap - 9, [['bytes', 'bytes']], `up to ${bytes(mostBytes / s)} a second`, width);
}

function drawRests(root, x, rows) {
  rows.forEach((row, i) => {
    const y = BYTES_Y + (i + 1) * LANES.rest - 7;
    for (const [from, to] of row.rests) {
      const bar = svg('rect', { class: 'rest', x: x(from), y, width: Math.max(3, x(to) - x(from)), height: 7, rx: 1.5 });
      bar.append(svg('title', {}, `${row.host} was left alone for ${time(to - from)}`));
      root.append(bar);
    }
    titleOf(root, y - 6, [['rest', row.host.replace(/^https?:\/\//, '') + ' rests']], `for ${time(row.sum)}`, x(timeline.endMs));
  });
}

function drawAxis(root, x, width, y) {
  const step = STEPS.find(each => timeline.endMs / each <= Math.max(3, width / 90)) || STEPS[STEPS.length - 1];
  for (let at = 0; at <= timeline.endMs; at += step) {
    const end = x(at) > width - 30;
    root.append(svg('line', { class: 'tick', x1: x(at), x2: x(at), y1: LANES.title - 4, y2: y + 4 }),
      svg('text', { class: 'when', x: x(at), y: y + 16, 'text-anchor': at === 0 ? 'start' : end ? 'end' : 'middle' }, at === 0 ? '0' : time(at)));
  }
}

function drawTimeline() {
  const width = timeline.element.clientWidth;
  if (width === 0) return;
  makeBins(width);
  const rows = restRows(), x = ms => ms / timeline.endMs * width;
  const y = BYTES_Y + rows.length * LANES.rest;
  const root = svg('svg', { width, height: y + LANES.axis, viewBox: `0 0 ${width} ${y + LANES.axis}` });
  const cursor = svg('rect', { class: 'cursor', y: LANES.title - 4, height: y - LANES.title + 4, width: Math.max(2, x(timeline.binMs)) });
  root.append(cursor);
  drawAxis(root, x, width, y);
  drawBars(root, x, width);
  drawRests(root, x, rows);
  timeline.element.replaceChildren(root);
  timeline.point = i => {
    timeline.at = Math.max(-1, Math.min(timeline.bins.length - 1, i));
    cursor.setAttribute('visibility', timeline.at < 0 ? 'hidden' : 'visible');
    cursor.setAttribute('x', x(Math.max(0, timeline.at) * timeline.binMs));
    read();
  };
  timeline.point(timeline.at);
}

function read() {
  const bin = timeline.bins[timeline.at], s = timeline.binMs / 1000;
  $('reading').textContent = bin === undefined ? '' :
    `${time(timeline.at * timeline.binMs)}: ${rate(bin.answers / s)} pages/s, ${rate(bin.errors / s)} errors/s, ${bytes(bin.bytes / s)}/s`;
}

function beginTimeline() {
  const { element } = timeline;
  if (data.slices.length === 0) {
    element.replaceWith(h('p', { class: 'empty' }, 'Nothing was asked for in this run.'));
    return;
  }
  const sum = data.slices.reduce((all, [answers, errors]) => [all[0] + answers, all[1] + errors], [0, 0]);
  element.setAttribute('aria-label', `${many(sum[0], 'good answer', 'good answers')} and ${many(sum[1], 'error', 'errors')} in ${time(data.figures.elapsed_ms)}. Arrow keys read one moment after the other.`);
  element.addEventListener('pointermove', event => {
    const box = element.getBoundingClientRect();
    timeline.point(Math.floor((event.clientX - box.left) / box.width * timeline.endMs / timeline.binMs));
  });
  element.addEventListener('pointerleave', () => timeline.point(-1));
  element.addEventListener('keydown', event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (event.key === 'Escape') timeline.point(-1);
    if (by === undefined) return;
    event.preventDefault();
    timeline.point(Math.max(0, timeline.at + by));
  });
  new ResizeObserver(drawTimeline).observe(element);
  drawTimeline();
}
