'use strict';
// The figures come with the page, and again every second from /stats.json. Everything that is shown is
// put there as text, never as HTML.
const MODES = ['plain', 'batch', 'cache', 'promise'];
const EVERY_MS = 1000, MEASURED = 20;
const $ = id => document.getElementById(id);
const number = new Intl.NumberFormat('en-US');
// Sums come as texts, too: JavaScript's numbers are not exact beyond 2^53.
const exact = text => number.format(BigInt(text));
let stats = JSON.parse($('stats').textContent);

function make(name, attributes, ...inside) {
  const svg = ['svg', 'g', 'rect', 'line', 'path', 'text'].includes(name);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

// ---- figures ----------------------------------------------------------------------------------

const sum = object => Object.values(object).reduce((all, one) => all + one, 0);

function figures() {
  return {
    total: BigInt(stats.total_text), sales: stats.sales, requests: sum(stats.figures.requests_total),
    scans: stats.figures.scans_total, records: stats.figures.records_scanned_total,
  };
}

function showFigures() {
  const values = figures();
  for (const box of document.querySelectorAll('#figures > div')) {
    const value = values[box.dataset.figure];
    box.dataset.value = value;
    box.querySelector('dd').textContent = number.format(value);
  }
}

function showSettings() {
  const parts = [];
  if (stats.mode === 'cache' || stats.mode === 'promise') parts.push(`kept for ${stats.ttl_ms / 1000} s`);
  if (stats.redis) parts.push(stats.figures.redis_connected ? 'shared by Redis' : 'Redis is not there');
  if (stats.scan_delay_ms > 0) parts.push(`each scan is delayed by ${stats.scan_delay_ms} ms`);
  $('mode').textContent = stats.mode;
  $('settings').textContent = parts.map(part => ', ' + part).join('');
}

// ---- items ------------------------------------------------------------------------------------

function itemRow(name, total, text, sales, most, other) {
  const part = most > 0 ? Math.min(100, Math.max(0, 100 * total / most)) : 0;
  const bar = make('svg', { role: 'presentation' }, make('rect', { width: part.toFixed(1) + '%', height: '100%', rx: 3 }));
  return make('tr', other ? { class: 'other' } : {}, make('th', { scope: 'row', title: name }, name), make('td', {}, exact(text)),
    make('td', {}, number.format(sales)), make('td', { class: 'bar' }, bar));
}

function showItems() {
  const most = stats.items.length > 0 ? stats.items[0].total : 0;
  const rows = stats.items.map(item => itemRow(item.item, item.total, item.total_text, item.sales, most, false));
  if (stats.other_sales > 0) rows.push(itemRow('all others', stats.other_total, stats.other_total_text, stats.other_sales, most, true));
  if (rows.length === 0) rows.push(make('tr', { class: 'other' }, make('th', { scope: 'row' }, 'nothing was sold yet')));
  document.querySelector('#items tbody').replaceChildren(...rows);
}

// ---- latencies --------------------------------------------------------------------------------

function time(us) {
  const unit = us < 1000 ? [1, 'µs'] : us < 1e6 ? [1000, 'ms'] : [1e6, 's'];
  const value = us / unit[0];
  return (value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)) + ' ' + unit[1];
}

// Bucket i holds what took less than 2^i us, and no less than half of that. Drawn are all with something in them, and not too few.
function range() {
  let from = 26, to = 0;
  for (const mode of MODES) stats.latency[mode].buckets.forEach((count, i) => {
    if (count > 0) [from, to] = [Math.min(from, i), Math.max(to, i)];
  });
  if (from > to) [from, to] = [4, 16];
  while (to - from < 8) [from, to] = [Math.max(0, from - 1), Math.min(25, to + 1)];
  return [from, to];
}

function hill(latency, x, step, base, height, from) {
  const most = Math.max(...latency.buckets), bars = make('g', { class: 'hill' });
  latency.buckets.forEach((count, i) => {
    if (count === 0) return;
    const tall = Math.max(2, height * count / most);
    bars.append(make('rect', { x: x(i - 1) + 0.5, y: base - tall, width: Math.max(1, step - 1), height: tall, rx: 1.5, 'data-bucket': i - from }));
  });
  return bars;
}

function plotMode(mode, top, row, x, step, from, width) {
  const latency = stats.latency[mode], base = top + row - 8, parts = make('g', { class: mode, 'data-mode': mode, 'data-count': latency.count });
  parts.append(make('text', { x: 0, y: base - 4, class: 'name' }, mode));
  parts.append(make('line', { x1: x(from - 1), x2: width, y1: base + .5, y2: base + .5, class: 'base' }));
  if (latency.count === 0) {
    parts.append(make('text', { x: x(from - 1) + 8, y: base - 8 }, 'no requests yet'));
    return parts;
  }
  const at = x(Math.max(from - 1, Math.log2(latency.p50_us))), right = at > width - 90;
  parts.append(hill(latency, x, step, base, row - 26, from));
  parts.append(make('line', { x1: at, x2: at, y1: base - row + 12, y2: base, class: 'median' }));
  parts.append(make('text', { x: at + (right ? -5 : 5), y: base - row + 21, 'text-anchor': right ? 'end' : 'start' }, time(latency.p50_us)));
  return parts;
}

function axis(x, from, to, height, width) {
  const parts = make('g', {}), every = Math.max(1, Math.ceil(72 / (x(1) - x(0))));
  for (let i = from - 1; i <= to; i += every) {
    const at = Math.min(width - 1, x(i)), last = at > width - 24;
    parts.append(make('line', { x1: at + .5, x2: at + .5, y1: 0, y2: height - 20, class: 'axis', 'stroke-dasharray': '2 4' }));
    parts.append(make('text', { x: at, y: height - 4, 'text-anchor': last ? 'end' : 'middle' }, time(2 ** i)));
  }
  return parts;
}

function showPlot() {
  const plot = $('plot'), width = plot.clientWidth || 500, height = 300, left = 66, [from, to] = range();
  const step = (width - left) / (to - from + 1), x = i => left + (i - from + 1) * step, row = (height - 24) / MODES.length;
  plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
  plot.replaceChildren(axis(x, from, to, height, width), ...MODES.map((mode, i) => plotMode(mode, i * row, row, x, step, from, width)));
}

function showModes() {
  const all = stats.figures;
  $('modes').tBodies[0].replaceChildren(...MODES.map(mode => {
    const latency = stats.latency[mode], count = name => mode in all[name] ? number.format(all[name][mode]) : '–';
    const name = make('th', { scope: 'row' }, make('span', { class: 'dot ' + mode }), mode);
    return make('tr', mode === stats.mode ? { class: 'own' } : {}, name, make('td', {}, count('requests_total')), make('td', {}, count('hits_total')),
      make('td', {}, count('joined_total')), make('td', {}, latency.count > 0 ? time(latency.p50_us) : '–'),
      make('td', {}, latency.count > 0 ? time(latency.p95_us) : '–'));
  }));
}

// ---- life -------------------------------------------------------------------------------------

function show() {
  for (const part of [showFigures, showSettings, showItems, showPlot, showModes]) part();
  document.documentElement.dataset.polled = Number(document.documentElement.dataset.polled || -1) + 1;
}

function say(text, lost) {
  $('live').textContent = text;
  $('live').className = lost ? 'lost' : '';
}

async function poll() {
  const before = figures().requests, then = stats.uptime_ms;
  try {
    const answer = await fetch('/stats.json', { cache: 'no-store' });
    if (!answer.ok) throw new Error((await answer.json()).error);
    stats = await answer.json();
    const seconds = (stats.uptime_ms - then) / 1000;
    show();
    say(seconds > 0 ? `live: ${number.format(Math.max(0, Math.round((figures().requests - before) / seconds)))} requests/s` : 'live', false);
  } catch (error) {
    say(error instanceof TypeError ? 'the server does not answer' : error.message, true);
  }
}

async function pollAgain() {
  if (!document.hidden) await poll();
  setTimeout(pollAgain, EVERY_MS);
}

// Requests go out together, as far as the browser lets them, one mode after the other.
async function measure() {
  $('measure').disabled = true;
  for (const mode of MODES)
    await Promise.allSettled(Array.from({ length: MEASURED }, () => fetch('/?mode=' + mode, { headers: { Accept: 'text/plain' }, cache: 'no-store' }).then(answer => answer.text())));
  await poll();
  $('measure').disabled = false;
}

$('ways').hidden = false;
$('here').textContent = location.origin;
$('measure').addEventListener('click', measure);
new ResizeObserver(showPlot).observe($('plot'));
show();
setTimeout(pollAgain, EVERY_MS);
