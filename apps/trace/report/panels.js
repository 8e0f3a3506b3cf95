// What the analysis says: the same numbers as `weft trace summary --json`.

function swatchOf(trace, group) {
  return `hsl(${hueOf(group)} 50% 52%)`;
}

function makeTable(heads, rows) {
  const table = make('table'), head = make('tr');
  for (const [title, kind] of heads) head.append(make('th', { textContent: title, className: kind || '' }));
  const body = make('tbody');
  for (const { cells, go } of rows) {
    const row = make('tr', go ? { className: 'link', tabIndex: 0 } : {});
    cells.forEach((text, i) => row.append(make('td', { textContent: text, className: heads[i][1] || '' })));
    if (go) {
      row.addEventListener('click', go);
      row.addEventListener('keydown', event => { if (event.key === 'Enter') go(); });
    }
    body.append(row);
  }
  table.append(make('thead', {}, head), body);
  return table;
}

function nothing(text) {
  return make('p', { className: 'empty', textContent: text });
}

function shownOf(shown, all) {
  return shown < all ? make('p', { className: 'empty', textContent: `The first ${showCount(shown)} of ${showCount(all)} are shown.` }) : '';
}

function typesPanel(trace) {
  const { types } = trace.analysis, times = ({ p50, p99, max }, most) => [showTime(p50), showTime(p99), ...(most ? [showTime(max)] : [])];
  if (types.length === 0) return nothing('There are no operations in this trace.');
  return makeTable(
    [['Type'], ['Group'], ['Count', 'num'], ['Open', 'num'], ['Callbacks', 'num'], ['Total', 'num'], ['Waiting p50', 'num'], ['p99', 'num'], ['max', 'num'],
      ['Running p50', 'num'], ['p99', 'num'], ['Running total', 'num']],
    types.map(type => ({
      cells: [type.type || '(unknown)', type.group, showCount(type.count), type.open ? showCount(type.open) : '', showCount(type.callbacks),
        showTime(type.total), ...times(type.waiting, true), ...times(type.running), showTime(type.running.total)],
      go: () => setFilter(type.type),
    })));
}

// Where a link of a chain was begun, what it waited for, how it ended: as in `weft trace summary`.
function placeOf(link) {
  const parts = [link.site + (link.for ? `, for ${link.for.type || '(unknown)'}  ${link.for.site}` : '')];
  if (link.queued >= 1e5) parts.push(`(${showTime(link.queued)} of it queued)`);
  if (link.status) parts.push(link.status);
  return parts.join('  ');
}

function chainsPanel(trace, go) {
  const { chains } = trace.analysis;
  if (chains.length === 0) return nothing('No operation has ended in this trace.');
  const list = make('div');
  const firstIdle = chains.findIndex(chain => chain.idle);
  for (const chain of chains) {
    if (chain === chains[firstIdle]) list.append(nothing('Idle: waited for a client or a signal, or is what the program runs in.'));
    const item = make('div', { className: 'chain' });
    chain.links.forEach((link, depth) => {
      const button = make('button', {},
        make('span', { className: 'num', textContent: showTime(link.length) }),
        make('span', { textContent: link.type || '(unknown)' }),
        make('span', { className: 'site', textContent: placeOf(link) }));
      if (depth === 0 && chain.like > 1) button.lastChild.append(make('span', { className: 'like', textContent: `the slowest of ${showCount(chain.like)} from there` }));
      button.children[1].style.paddingLeft = Math.min(depth, 12) * 14 + 'px';
      const from = Math.max(0, Math.min(chain.length, link.begin - chain.links[0].begin));
      const to = Math.max(from, Math.min(chain.length, link.begin + link.length - chain.links[0].begin));
      const share = time => (chain.length > 0 ? time / chain.length * 100 : 0).toFixed(2) + '%';
      button.style.setProperty('--from', share(from));
      button.style.setProperty('--part', share(to - from));
      button.style.setProperty('--swatch', swatchOf(trace, link.group));
      button.addEventListener('click', () => go(link.op));
      item.append(button);
    });
    list.append(item);
  }
  return list;
}

function blockingPanel(trace, goTime, go) {
  const { blocking } = trace.analysis;
  if (blocking.count === 0) return nothing(`No callback ran longer than ${showTime(blocking.limit)}.`);
  const table = makeTable(
    [['Length', 'num'], ['At', 'num'], ['Callback', 'mono'], ['Of'], ['Begun at', 'site'], ['Thread']],
    blocking.callbacks.map(call => ({
      cells: [showTime(call.length), showTime(call.begin), call.entry || '(unknown)', call.type, call.site || '', call.thread],
      go: () => {
        if (call.op !== undefined) go(call.op);
        goTime(call.begin, call.begin + call.length);
      },
    })));
  return make('div', {}, table, shownOf(blocking.callbacks.length, blocking.count));
}

function openPanel(trace) {
  const { open } = trace.analysis;
  if (open.count === 0) return nothing('Everything was destroyed in the end.');
  const shown = open.sites.reduce((sum, site) => sum + site.count, 0);
  const table = makeTable(
    [['Count', 'num'], ['Type'], ['Group'], ['Begun at', 'site'], ['The oldest', 'num']],
    open.sites.map(site => ({
      cells: [showCount(site.count), site.type || '(unknown)', site.group, site.site, showTime(site.oldest)],
      go: () => setFilter('open ' + site.type),
    })));
  return make('div', {}, table, shownOf(shown, open.count));
}

// ---- one operation

function describeOp(trace, i, call) {
  const parts = [], { ops, calls } = trace;
  if (call >= 0) {
    parts.push(make('h2', {}, trace.texts[calls.entry[call]] || 'callback', make('span', { textContent: '  ran ' + showTime(calls.end[call] - calls.begin[call]) })));
    if (calls.outcome[call]) parts.push(make('div', { className: 'bad', textContent: 'threw ' + trace.texts[calls.outcome[call]] }));
    if (i < 0) parts.push(make('div', { className: 'quiet', textContent: typeName(trace, calls.type[call]) }));
  }
  if (i < 0) return parts;
  parts.push(make('h2', {}, typeName(trace, ops.type[i]),
    make('span', { textContent: `  ${groupName(trace, ops.type[i])}${ops.flags[i] & HANDLE ? ', long-lived' : ''}  ${idOf(trace, i)}` })));
  parts.push(make('div', { className: 'site', textContent: trace.texts[ops.site[i]] }));
  if (resultOf(trace, i)) parts.push(make('div', { className: 'bad', textContent: resultOf(trace, i) }));
  const times = make('div', { className: 'times' });
  const values = [['in all', lengthOf(trace, i)], ['waiting', waitedOf(trace, i)], ['running', ops.running[i]]];
  if (ops.queued[i] > 0) values.splice(2, 0, ['of it queued', ops.queued[i]]);
  for (const [name, value] of values)
    times.append(make('div', {}, make('b', { textContent: showTime(value) }), make('span', { textContent: name })));
  parts.push(times);
  if (ops.promise[i] >= 0)
    parts.push(make('div', { className: 'quiet', textContent: `for ${typeName(trace, ops.type[ops.promise[i]])}  ${trace.texts[ops.site[ops.promise[i]]]}` }));
  const cause = causeOf(trace, i);
  if (cause >= 0)
    parts.push(make('div', { className: 'quiet', textContent: `begun at ${showTime(ops.begin[i])} in ${trace.texts[calls.entry[cause]] || typeName(trace, calls.type[cause])}` }));
  return parts;
}

// The parents, the nearest first. go: they can be chosen; null: only shown.
function describeWay(trace, way, go) {
  const list = make('ul', { className: 'way' });
  for (const i of way.slice(1, 13)) {
    const text = `${typeName(trace, trace.ops.type[i])}  ${showTime(lengthOf(trace, i))}  `;
    const site = make('span', { className: 'site quiet', textContent: trace.texts[trace.ops.site[i]] });
    const item = go === null ? make('span', {}, text, site) : make('button', {}, text, site);
    if (go !== null) item.addEventListener('click', () => go(i));
    list.append(make('li', {}, '↑ ', item));
  }
  return list.children.length > 0 ? [list] : [];
}
