// The page as a whole, from the top to the bottom.
const WHY = {
  done: 'Complete', 'max-pages': 'Stopped: as many pages as were asked for', 'max-bytes': 'Stopped: as many bytes as were asked for',
  'max-time': 'Stopped: as long as was asked for', interrupted: 'Interrupted', 'no output': 'Stopped: the disk could not be written',
};

function beginHeader() {
  const { figures } = data, name = here.replace(/^https?:\/\//, '') || 'nothing';
  const others = data.urls_count > 1 ? `${count(data.urls_count)} start URLs · ` : '';
  const far = data.nesting === undefined ? 'as far as links go' : many(data.nesting, 'link', 'links') + ' far';
  document.title = name + ': a crawl';
  $('title').textContent = name;
  $('state').textContent = (WHY[data.why] || data.why) + (figures.waiting > 0 ? ` · ${many(figures.waiting, 'URL waits', 'URLs wait')}` : '');
  $('state').className = data.why === 'done' ? 'done' : 'stopped';
  $('origin').textContent = `${others}${far}, ${data.concurrency} at once · ended ${data.ended.replace('T', ' ').replace('Z', ' UTC')} · below ${data.folder}`;
}

function beginFigures() {
  const { figures: f } = data, seconds = f.elapsed_ms / 1000, pages = f.saved + f.there + f.same;
  const all = [
    ['saved', f.saved, count(f.saved), ['saved', f.there > 0 ? `${count(f.there)} were there` : '', f.same > 0 ? `${count(f.same)} are as they were` : ''].filter(Boolean).join(', ')],
    ['wire', f.wire, bytes(f.wire), 'came in'],
    ['elapsed', f.elapsed_ms, time(f.elapsed_ms), 'took'],
    ['rate', seconds > 0 ? pages / seconds : 0, seconds > 0 ? rate(pages / seconds) : '—', 'pages a second'],
    ['failed', f.failed, count(f.failed), 'failed', f.failed > 0 ? 'bad' : ''],
    ['moved', f.moved, count(f.moved), 'redirected'],
    ['skipped', f.skipped, count(f.skipped), 'skipped'],
  ];
  $('figures').append(...all.map(([key, value, text, title, kind]) =>
    h('div', { 'data-figure': key, 'data-value': String(value), class: kind || '' }, h('dt', {}, title), h('dd', {}, text))));
}

function beginAnswers() {
  const sums = CLASSES.map(() => 0), codes = CLASSES.map(() => []), all = data.figures.requests;
  for (const [status, number] of data.statuses) {
    sums[classOf(status)] += number;
    codes[classOf(status)].push([status, number]);
  }
  if (all === 0) {
    $('answers').append(h('p', { class: 'empty' }, 'Nothing was asked for in this run.'));
    $('bar').remove();
    return;
  }
  $('quantiles').textContent = `${many(all, 'request', 'requests')}; half of the answers within ${time(data.figures.half_us / 1000)}, 95 % within ${time(data.figures.most_us / 1000)}`;
  $('bar').setAttribute('aria-label', CLASSES.map((each, i) => `${sums[i]} ${each.title}`).join(', '));
  $('bar').append(...CLASSES.map((each, i) => sums[i] === 0 ? null : h('i', { class: each.key, '--grow': String(sums[i]), title: `${count(sums[i])} ${each.title}` })).filter(Boolean));
  $('classes').append(...CLASSES.map((each, i) => h('li', { 'data-class': each.key, 'data-value': String(sums[i]), class: sums[i] === 0 ? 'none' : '' },
    h('b', {}, h('i', { class: each.key }), count(sums[i])), h('span', {}, each.title + (each.range === '—' ? '' : ' · ' + each.range)),
    h('small', {}, codes[i].length > 0 && codes[i][0][0] > 0 ? codes[i].map(([status, number]) => `${status}\u00a0×\u00a0${count(number)}`).join('  ') : ''))));
}

const percent = (part, all) => part === 0 ? '0 %' : part / all < .01 ? '< 1 %' : Math.round(100 * part / all) + ' %';

function beginTables() {
  const url = { title: 'URL', value: row => row.url, cell: row => link(row.url) };
  const status = { title: 'Status', value: row => row.status, cell: row => row.status > 0 ? badge(row.status) : '' };
  const rows = list => list.map(([name, code, value]) => ({ url: name, status: code, value, text: (name + ' ' + code).toLowerCase() }));
  const slowest = rows(data.slowest), largest = rows(data.largest);
  const top = row => slowest.length > 0 ? row.value / slowest[0].value : 0;
  table($('slowest'), 'slowest pages', [url, status,
    { title: 'Time', num: true, value: row => row.value, cell: row => h('span', { class: 'measured' }, time(row.value / 1000), meter(top(row))) }], slowest, 2);
  table($('largest'), 'largest files', [url, status,
    { title: 'Size', num: true, value: row => row.value, cell: row => h('span', { class: 'measured' }, bytes(row.value), meter(largest[0].value > 0 ? row.value / largest[0].value : 0)) }], largest, 2);
  const types = data.types.map(([name, files, value]) => ({ name, files, value, text: name }));
  const most = Math.max(...types.map(type => type.value), 1), sum = types.reduce((all, type) => all + type.value, 0);
  table($('types'), 'types', [
    { title: 'Type', value: row => row.name, cell: row => h('span', { class: 'type' }, row.name) },
    { title: 'Files', num: true, value: row => row.files, cell: row => count(row.files) },
    { title: 'Size', num: true, value: row => row.value, cell: row => bytes(row.value) },
    { title: 'Share', num: true, value: row => row.value, cell: row => h('span', { class: 'measured wide' }, percent(row.value, sum), meter(row.value / most)) }], types, 2);
}

function beginFooter() {
  const notes = [`Made by weft ${data.weft}.`, 'Figures, answers, times and the slowest are of this run; the rest is all that is known of the site.'];
  if (data.slowest.length === 100 || data.largest.length === 100) notes.push('Of the slowest and the largest, 100 are listed.');
  if (nodes.some(node => node.restUrls > 0)) notes.push('The tree shows a part of the URLs and sums up the others.');
  if (data.rests_count > data.rests.length) notes.push(`Hosts rested ${count(data.rests_count)} times, of which the first ${count(data.rests.length)} are shown.`);
  $('footer').append(...notes.map(note => h('p', {}, note)));
  $('contents').append(...[...document.querySelectorAll('main section')].map(section => h('a', { href: '#' + section.id }, section.querySelector('h2').textContent)));
}

for (const begin of [beginHeader, beginFigures, beginAnswers, beginTimeline, beginBroken, beginTables, beginTree, beginFooter]) begin();
document.documentElement.dataset.ready = 'yes';
