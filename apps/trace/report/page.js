// The page: one trace, one timeline, one table, and what connects them.

const byId = id => document.getElementById(id);
const trace = readTrace();
const timeline = new Timeline(trace, byId('timeline'), byId('overview'), { hover: showTip, pick, range: showRange });
const table = new OpTable(trace, byId('panel'), op => pick(op, true));
const hidden = new Set(); // groups that are not shown
let current = 'operations';

// ---- head

function showHead() {
  const { analysis } = trace;
  byId('command').textContent = analysis.command || analysis.file;
  document.title = (analysis.command || analysis.file) + ' — weft trace';
  byId('origin').textContent = [analysis.file, analysis.weft && 'weft ' + analysis.weft, showCount(analysis.events) + ' events']
    .filter(Boolean).join('  ·  ');
  const slowest = analysis.chains.length > 0 ? analysis.chains[0].length : 0;
  const figures = [
    ['operations', 'Operations', analysis.operations, showCount(analysis.operations)],
    ['callbacks', 'Callbacks', analysis.callbacks, showCount(analysis.callbacks)],
    ['span', 'Time', analysis.span, showTime(analysis.span)],
    ['slowest', 'Slowest chain', slowest, showTime(slowest)],
    ['blocking', 'Blocked > ' + showTime(analysis.blocking.limit).replace('.0', ''), analysis.blocking.count, showCount(analysis.blocking.count), true],
    ['open', 'Never destroyed', analysis.open.count, showCount(analysis.open.count), true],
  ];
  if (analysis.lost > 0) figures.push(['lost', 'Events lost', analysis.lost, showCount(analysis.lost), true]);
  for (const [name, title, value, text, isBad] of figures) {
    const figure = make('div', { className: isBad && value > 0 ? 'bad' : '' }, make('dt', { textContent: title }), make('dd', { textContent: text }));
    figure.dataset.figure = name;
    figure.dataset.value = String(value);
    byId('figures').append(figure);
  }
  const notices = [];
  if (analysis.operations === 0) notices.push('This trace has no weft operations.');
  if (analysis.unrecorded > 0) notices.push(`${showCount(analysis.unrecorded)} loops were not recorded: there were too many at a time.`);
  if (analysis.lost > 0) notices.push(`${showCount(analysis.lost)} events were lost: the ring was full, and the oldest are gone.`);
  if (analysis.odd > 0) notices.push(`${showCount(analysis.odd)} events were not understood.`);
  byId('notice').textContent = notices.join(' ');
  byId('notice').hidden = notices.length === 0;
}

function showRange() {
  const range = byId('range'), { from, to } = timeline;
  range.textContent = `${showTime(from)} to ${showTime(to)}, ${showTime(to - from)} shown`;
  range.dataset.from = String(Math.round(from));
  range.dataset.to = String(Math.round(to));
}

// ---- filter

function showGroups() {
  for (const group of trace.groups) {
    const button = make('button', { textContent: group.name, title: 'Show or hide ' + group.name });
    button.style.setProperty('--swatch', `hsl(${group.hue} 50% 52%)`);
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      if (!hidden.delete(group)) hidden.add(group);
      button.setAttribute('aria-pressed', String(!hidden.has(group)));
      applyFilter();
    });
    byId('groups').append(button);
  }
}

function setFilter(text) {
  byId('filter').value = text;
  choosePanel('operations');
  applyFilter();
}

// Every word has to be in the type, the group, the place or the result; 0x… is an id, "open" what
// was never destroyed.
function wordMatcher(word) {
  const { ops, texts, types } = trace;
  if (word === 'open') return i => !(ops.flags[i] & ENDED) && !isLoop(trace, i);
  if (/^0x[0-9a-f]+$/.test(word)) return i => idOf(trace, i) === word || texts[ops.site[i]].includes(word);
  const inText = texts.map(text => text.toLowerCase().includes(word));
  const inType = types.map(([name, group]) => inText[name] || inText[group]);
  return i => inType[ops.type[i]] || inText[ops.site[i]] || inText[ops.status[i]];
}

function applyFilter() {
  const { ops } = trace, words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean).map(wordMatcher);
  const isHidden = trace.types.map((_, type) => hidden.has(trace.groups[trace.groupOf[type]]));
  const matched = new Uint8Array(ops.count);
  let count = 0;
  for (let i = 0; i < ops.count; i++) {
    if (isHidden[ops.type[i]] || !words.every(matches => matches(i))) continue;
    matched[i] = 1;
    count++;
  }
  const rows = new Int32Array(count);
  for (let i = 0, at = 0; i < ops.count; i++)
    if (matched[i]) rows[at++] = i;
  timeline.matched = count === ops.count ? null : matched;
  timeline.later();
  byId('matches').textContent = count === ops.count ? showCount(count) : `${showCount(count)} of ${showCount(ops.count)}`;
  byId('panel').scrollTop = 0;
  table.show(rows);
}

// ---- one operation

// move: the timeline goes there.
function pick(op, move) {
  timeline.picked = op;
  table.setPicked(op);
  const detail = byId('detail');
  detail.hidden = op < 0;
  if (op >= 0) {
    const close = make('button', { className: 'close', textContent: '×', title: 'Let go (Escape)' });
    close.setAttribute('aria-label', 'Let go');
    close.addEventListener('click', () => pick(-1, false));
    detail.replaceChildren(close, ...describeOp(trace, op, -1), ...describeWay(trace, timeline.way(op), i => pick(i, true)));
    if (move) timeline.showOp(op);
  }
  timeline.later();
}

function showTip(op, call, event) {
  const tip = byId('tip');
  tip.hidden = event === null || (op < 0 && call < 0);
  if (tip.hidden) return;
  tip.replaceChildren(...describeOp(trace, op, call), ...(op >= 0 ? describeWay(trace, timeline.way(op), null) : []));
  const room = tip.parentElement;
  tip.style.left = Math.max(4, Math.min(event.offsetX + 14, room.clientWidth - tip.offsetWidth - 6)) + 'px';
  const above = event.offsetY - tip.offsetHeight - 12, below = event.offsetY + 18;
  tip.style.top = (below + tip.offsetHeight < room.clientHeight || above < 0 ? Math.min(below, Math.max(4, room.clientHeight - tip.offsetHeight - 4)) : above) + 'px';
}

// ---- panels

const goTo = op => pick(op, true);
const panels = [
  ['operations', 'Operations', trace.ops.count, () => table.grid],
  ['types', 'Types', trace.analysis.types.length, () => typesPanel(trace)],
  ['chains', 'Slow chains', trace.analysis.chains.length, () => chainsPanel(trace, goTo)],
  ['blocking', 'Blocking callbacks', trace.analysis.blocking.count, () => blockingPanel(trace, (from, to) => timeline.showTimes(from, to), goTo)],
  ['open', 'Never destroyed', trace.analysis.open.count, () => openPanel(trace)],
];

function choosePanel(name) {
  current = name;
  for (const [id, , , build] of panels) {
    const tab = byId('tab-' + id), chosen = id === name;
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) byId('panel').replaceChildren(build());
  }
  byId('panel').setAttribute('aria-labelledby', 'tab-' + name);
  byId('panel').scrollTop = 0;
  table.draw();
}

function showTabs() {
  panels.forEach(([id, title, count], at) => {
    const tab = make('button', { id: 'tab-' + id, role: 'tab' }, title, make('small', { textContent: showCount(count) }));
    tab.setAttribute('aria-controls', 'panel');
    tab.addEventListener('click', () => choosePanel(id));
    tab.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const [next] = panels[(at + step + panels.length) % panels.length];
      choosePanel(next);
      byId('tab-' + next).focus();
    });
    byId('tabs').append(tab);
  });
}

// ---- the rest of the page

function listenToDivider() {
  const divider = byId('divider'), section = document.querySelector('.timeline');
  const set = height => {
    const top = section.getBoundingClientRect().top;
    section.style.flexBasis = Math.max(180, Math.min(height, innerHeight - top - 190)) + 'px';
  };
  divider.addEventListener('pointerdown', event => divider.setPointerCapture(event.pointerId));
  divider.addEventListener('pointermove', event => {
    if (event.buttons & 1) set(event.clientY - section.getBoundingClientRect().top - 6);
  });
  divider.addEventListener('keydown', event => {
    const step = { ArrowUp: -24, ArrowDown: 24 }[event.key];
    if (step !== undefined) set(section.offsetHeight + step);
  });
}

function listen() {
  byId('zoom-in').addEventListener('click', () => timeline.zoom(.5));
  byId('zoom-out').addEventListener('click', () => timeline.zoom(2));
  byId('zoom-fit').addEventListener('click', () => timeline.fit());
  byId('filter').addEventListener('input', () => {
    if (current !== 'operations') choosePanel('operations');
    applyFilter();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    timeline.colors = palette(trace);
    timeline.later();
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') pick(-1, false);
    if (event.target.matches('input, button, [role=separator]') || event.defaultPrevented) return;
    if (event.key === '/') {
      event.preventDefault();
      byId('filter').focus();
    } else if ('+=-0'.includes(event.key)) {
      timeline.key(event);
    }
  });
  listenToDivider();
}

showHead();
showTabs();
showGroups();
showRange();
choosePanel('operations');
applyFilter();
listen();
document.documentElement.dataset.ready = 'yes';
