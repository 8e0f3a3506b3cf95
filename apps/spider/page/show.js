// How things are shown: numbers, URLs, elements. Text from elsewhere only ever becomes text.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'class') element.className = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

const count = number => number.toLocaleString('en-US');
const many = (number, one, more) => count(number) + ' ' + (number === 1 ? one : more);

function bytes(number) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 1024 && unit < 4) { number /= 1024; unit++; }
  return number.toFixed(unit > 0 && number < 9.95 ? 1 : 0) + ' ' + units[unit];
}

function time(ms) {
  if (ms < 1) return (ms * 1000).toFixed(0) + ' µs';
  if (ms < 999.5) return ms.toFixed(ms < 9.95 ? 1 : 0) + ' ms';
  const s = ms / 1000;
  if (s < 60) return s.toFixed(s < 9.95 ? 1 : 0) + ' s';
  const two = (whole, unit, rest, less) => `${whole} ${unit}` + (rest > 0 ? ` ${rest} ${less}` : '');
  if (s < 3600) return two(Math.floor(s / 60), 'min', Math.floor(s % 60), 's');
  return two(Math.floor(s / 3600), 'h', Math.floor(s % 3600 / 60), 'min');
}

const rate = number => number < 9.95 ? number.toFixed(1) : count(Math.round(number));

// ---- URLs -------------------------------------------------------------------------------------

const CUT = 1000; // bytes: a longer one is cut, and leads nowhere
const here = data.tree.length > 0 ? data.tree[0][1] : '';
const isWhole = url => /^https?:\/\//.test(url) && new TextEncoder().encode(url).length < CUT;

// Without the origin, where nearly everything has the same.
function shortened(url) {
  const short = here !== '' && url.startsWith(here + '/') ? url.slice(here.length) : url.replace(/^https?:\/\//, '');
  return isWhole(url) ? short : short + '…';
}

function link(url) {
  if (!isWhole(url)) return h('span', { class: 'url', title: url }, shortened(url));
  return h('a', { class: 'url', href: url, title: url, rel: 'noreferrer noopener' }, shortened(url));
}

// ---- statuses ---------------------------------------------------------------------------------

const CLASSES = [
  { key: 'good', title: 'fetched', range: '2xx' }, { key: 'moved', title: 'redirected', range: '3xx' },
  { key: 'missing', title: 'missing or refused', range: '4xx' }, { key: 'broken', title: 'server errors', range: '500 and above' },
  { key: 'silent', title: 'no answer', range: '—' },
];
const classOf = status => status >= 500 ? 3 : status >= 400 ? 2 : status >= 300 ? 1 : status >= 200 ? 0 : 4;
const badgeOf = (status, kind) => h('span', { class: 'badge ' + CLASSES[kind].key }, status > 0 ? String(status) : 'none');
const badge = status => badgeOf(status, classOf(status));
// What failed looks like that, whatever its status: a 200 may be cut short, a 302 may lead nowhere.
const failedBadge = status => badgeOf(status, classOf(status) < 2 ? 3 : classOf(status));
