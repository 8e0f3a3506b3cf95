// The site as folders that open: what is below is made when somebody looks.
const WHATS = ['', 'waiting', '', '', 'moved', 'failed', 'skipped'];

const nodes = data.tree.map(([parent, name, what, status, urls, saved, failed, size, restUrls, restBytes]) =>
  ({ parent, name, what, status, urls, saved, failed, size, restUrls, restBytes, children: [] }));
for (const node of nodes) if (node.parent >= 0) nodes[node.parent].children.push(node);

const isFolder = node => node.children.length > 0 || node.restUrls > 0;

function mark(node) {
  if (WHATS[node.what] === 'failed') return failedBadge(node.status);
  return WHATS[node.what] ? h('span', { class: 'badge' }, WHATS[node.what]) : null;
}

function sums(node, most) {
  return h('span', { class: 'sums' },
    node.failed > 0 && isFolder(node) ? h('span', { class: 'bad' }, count(node.failed) + ' failed') : null,
    isFolder(node) ? h('span', {}, many(node.urls, 'URL', 'URLs')) : null,
    h('span', { class: 'size' }, node.saved > 0 ? bytes(node.size) : ''),
    h('span', { class: 'share' }, node.saved > 0 ? meter(node.size / most) : ''));
}

function rowOf(node, most) {
  const name = node.name === '' ? '/' : node.name, label = h('span', { class: 'name' }, name);
  if (!isFolder(node)) return h('li', { class: 'leaf' }, h('div', {}, label, mark(node), sums(node, most)));
  const list = h('ul');
  const folder = h('details', {
    ontoggle: () => { if (folder.open && list.childElementCount === 0) list.append(...rowsOf(node)); },
  }, h('summary', {}, label, mark(node), sums(node, most)), list);
  return h('li', {}, folder);
}

// Folders first, then by name; at the end what has no place here.
function rowsOf(node) {
  const most = Math.max(...node.children.map(child => child.size), node.restBytes, 1);
  const sorted = [...node.children].sort((a, b) => isFolder(b) - isFolder(a) || a.name.localeCompare(b.name, 'en', { numeric: true }));
  const rows = sorted.map(child => rowOf(child, most));
  if (node.restUrls > 0) rows.push(h('li', { class: 'leaf rest' }, h('div', {}, h('span', { class: 'name' }, `… and ${count(node.restUrls)} more`),
    h('span', { class: 'sums' }, h('span', { class: 'size' }, bytes(node.restBytes)), h('span', { class: 'share' }, meter(node.restBytes / most))))));
  return rows;
}

function beginTree() {
  const section = $('tree'), hosts = nodes.filter(node => node.parent < 0).sort((a, b) => b.urls - a.urls);
  section.querySelector('.head p').textContent = `${many(data.figures.known, 'URL', 'URLs')} on ${many(hosts.length, 'host', 'hosts')}`;
  const most = Math.max(...hosts.map(host => host.size), 1);
  const list = h('ul', { class: 'tree' }, ...hosts.map(host => rowOf(host, most)));
  section.append(list);
  if (hosts.length > 0 && hosts.length < 4) for (const each of list.querySelectorAll(':scope > li > details')) each.open = true;
}
