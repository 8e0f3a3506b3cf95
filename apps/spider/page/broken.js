// Links that lead to nothing: by the page that has them, which is where they are mended; or by what is
// missing, which is where they were meant to lead.
const GROUPS = 10;

const broken = (() => {
  const targets = data.broken.targets.map(([url, status, why]) => ({ url, status, why, pages: [] }));
  const pages = data.broken.pages.map(([url, moved, ...places]) => ({ url, moved: moved === 1, targets: places.map(i => targets[i]) }));
  for (const page of pages) for (const target of page.targets) target.pages.push(page);
  return { targets, pages, byPage: true, all: false, wanted: '' };
})();

const holder = page => page.url === '' ? h('span', { class: 'url quiet' }, 'given as a start URL') : link(page.url);
const reason = target => h('span', { class: 'quiet' }, target.why.replace(/^\d{3} /, ''));

function group(head, tail, items) {
  return h('li', {}, h('div', { class: 'holder' }, head, tail), h('ul', {}, ...items));
}

function groupsByPage() {
  return [...broken.pages].sort((a, b) => b.targets.length - a.targets.length).map(page => ({
    text: (page.url + ' ' + page.targets.map(target => target.url + ' ' + target.status).join(' ')).toLowerCase(),
    draw: () => group(holder(page), h('span', { class: 'quiet' }, page.moved ? 'is redirected there' : many(page.targets.length, 'broken link', 'broken links')),
      page.targets.map(target => h('li', {}, failedBadge(target.status), link(target.url), reason(target)))),
  }));
}

function groupsByTarget() {
  return [...broken.targets].sort((a, b) => b.pages.length - a.pages.length).map(target => ({
    text: (target.url + ' ' + target.status + ' ' + target.pages.map(page => page.url).join(' ')).toLowerCase(),
    draw: () => group(h('span', {}, failedBadge(target.status), link(target.url)), reason(target),
      target.pages.map(page => h('li', {}, holder(page), page.moved ? h('span', { class: 'quiet' }, 'is redirected there') : null))),
  }));
}

function drawBroken() {
  const groups = (broken.byPage ? groupsByPage() : groupsByTarget()).filter(each => broken.wanted === '' || each.text.includes(broken.wanted));
  const list = $('broken').querySelector('.groups'), more = $('broken').querySelector('.more');
  list.replaceChildren(...groups.slice(0, broken.all ? undefined : GROUPS).map(each => each.draw()));
  more.hidden = groups.length <= GROUPS;
  more.textContent = broken.all ? 'Show fewer' : `Show all ${count(groups.length)}`;
}

function beginBroken() {
  const section = $('broken'), { links } = data.broken, head = section.querySelector('.head');
  if (links === 0) {
    section.append(h('p', { class: 'empty' }, 'None. Every link that was followed led somewhere.'));
    return;
  }
  head.querySelector('p').textContent = `${many(broken.targets.length, 'URL', 'URLs')}, linked to from ${many(broken.pages.length, 'page', 'pages')}` +
    (data.broken.more ? '; there are more, these are the first' : '');
  const choice = (title, byPage) => h('button', {
    type: 'button', 'aria-pressed': String(byPage === broken.byPage), onclick: event => {
      broken.byPage = byPage;
      for (const each of event.target.parentNode.children) each.setAttribute('aria-pressed', String(each === event.target));
      drawBroken();
    },
  }, title);
  head.append(h('div', { class: 'choice', role: 'group', 'aria-label': 'Grouped by' }, choice('By page', true), choice('By target', false)));
  if (broken.pages.length > GROUPS || broken.targets.length > GROUPS) head.append(filterField('broken links', text => { broken.wanted = text; drawBroken(); }));
  section.append(h('ul', { class: 'groups' }), h('button', { type: 'button', class: 'more', onclick: () => { broken.all = !broken.all; drawBroken(); } }));
  drawBroken();
}
