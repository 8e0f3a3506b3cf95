// Looks at a page of `weft spider --report` with a real browser and prints what it found, one
// "name value" a line; errors of the page and requests to anywhere are lines too.
//
//   node look.js BROWSER PAGE.html [PICTURES-FOLDER]
//   node look.js BROWSER --links PAGE.html            only its broken links
//   node look.js BROWSER --badges PAGE.html           only what failed, there and in the tree: its status and its kind
//   node look.js BROWSER --glance PAGE.html...        only whether they work, a "glance" line each
'use strict';
const { say, withBrowser, openFile } = require('../../lib/browser/look.js');

const [, , browserPath, first, ...rest] = process.argv;
const [pictures] = rest;
const texts = (page, selector) => page.$$eval(selector, all => all.map(each => each.textContent));

const open = (browser, path) => openFile(browser, 1280, 900, path);

async function lookAtFigures(page) {
  for (const [name, value] of await page.$$eval('#figures > div', all => all.map(each => [each.dataset.figure, each.dataset.value]))) say('figure-' + name, value);
  for (const [name, value] of await page.$$eval('#classes > li', all => all.map(each => [each.dataset.class, each.dataset.value]))) say('class-' + name, value);
  say('title', await page.title());
  say('state', (await texts(page, '#state'))[0]);
  say('bar-parts', await page.$$eval('#bar i', all => all.length));
  const sums = await page.evaluate(() => data.slices.reduce((sum, [answers, errors]) => sum + answers + errors, 0)); // eslint-disable-line
  say('timeline-answers', sums);
  say('timeline-bars', await page.$$eval('#timeline rect.good', all => all.length) > 3);
  say('rests', await page.$$eval('#timeline rect.rest', all => all.length));
}

async function lookAtTimeline(page) {
  await page.focus('#timeline');
  await page.keyboard.press('ArrowRight');
  const one = (await texts(page, '#reading'))[0];
  await page.keyboard.press('ArrowRight');
  say('reads', /pages\/s/.test(one) && (await texts(page, '#reading'))[0] !== one);
  await page.keyboard.press('Escape');
  say('reads-no-more', (await texts(page, '#reading'))[0] === '');
}

async function lookAtBroken(page) {
  const showAll = async () => {
    const more = await page.$('#broken > .more:not([hidden])');
    if (more !== null) await more.click();
  };
  if (await page.$('#broken .choice') === null) return;
  await showAll();
  say('broken-pages', await page.$$eval('.groups > li', all => all.length));
  say('broken-links', await page.$$eval('.groups > li > ul > li', all => all.length));
  for (const line of await page.$$eval('.groups > li', all => all.flatMap(each => [...each.querySelectorAll(':scope > ul .url')].map(target =>
    each.querySelector('.holder .url').title + ' ' + target.title)))) say('broken', line);
  await (await page.$$('#broken .choice button'))[1].click();
  say('broken-targets', await page.$$eval('.groups > li', all => all.length));
  say('broken-links-again', await page.$$eval('.groups > li > ul > li', all => all.length));
  await (await page.$$('#broken .choice button'))[0].click();
}

async function lookAtTable(page) {
  const urls = () => texts(page, '#slowest tbody .url');
  // Not by the mouse, which misses what is still moving on a machine that is busy.
  const press = name => page.$eval(name, button => button.click());
  const before = await urls(), sort = await page.$('#slowest th button');
  say('rows', before.length);
  await sort.focus();
  await page.keyboard.press('Enter');
  const rising = await urls();
  say('sorted', JSON.stringify(rising) === JSON.stringify([...rising].sort()) && JSON.stringify(rising) !== JSON.stringify(before));
  say('sort-told', await page.$eval('#slowest th', head => head.getAttribute('aria-sort')));
  await press('#slowest .more');
  say('rows-all', (await urls()).length);
  await page.type('#slowest .filter', '404');
  say('rows-filtered', await page.$$eval('#slowest tbody .badge', all => all.length > 0 && all.every(each => each.textContent === '404')));
  await page.$eval('#slowest .filter', input => { input.value = ''; input.dispatchEvent(new Event('input')); });
  await press('#slowest .more');
  await (await page.$$('#slowest th button'))[2].click();
  say('type-html', await page.$$eval('#types tbody tr', all => all.filter(row => row.firstChild.textContent === 'text/html').map(row => row.children[1].textContent)[0]));
}

async function lookAtTree(page) {
  say('hosts', await page.$$eval('.tree > li', all => all.length));
  say('open', await page.$eval('.tree details', details => details.open));
  const closed = await page.$('.tree details details:not([open]) > summary');
  const below = () => page.$$eval('.tree li', all => all.length);
  const before = await below();
  if (closed === null) return;
  await closed.focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(number => document.querySelectorAll('.tree li').length > number, { timeout: 5000 }, before);
  say('opened', await below() > before);
}

async function lookAtColors(page) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    say('paper-' + scheme, await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/)[0] > 128 ? 'bright' : 'dark'));
    say('ink-' + scheme, await page.evaluate(() => getComputedStyle(document.body).color.match(/\d+/)[0] > 128 ? 'bright' : 'dark'));
    if (pictures) await page.screenshot({ path: `${pictures}/spider-${scheme}.png`, fullPage: true });
  }
}

// Nothing sticks out at the side, and nothing that is read is too small.
async function lookOnPhone(page) {
  await page.setViewport({ width: 375, height: 800, deviceScaleFactor: 2 });
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  say('phone-fits', await page.evaluate(() => document.documentElement.scrollWidth <= 375));
  if (pictures) await page.screenshot({ path: `${pictures}/spider-phone.png`, fullPage: true });
}

async function glance(page) {
  say('glance', await page.$eval('#figures > div', figure => figure.dataset.value) + ' ' + await page.$$eval('img, iframe, object', all => all.length));
}

async function lookAtBadges(page) {
  for (const place of ['.groups', '.tree']) {
    const found = await page.$$eval(place + ' li', all => all.filter(each => each.querySelector(':scope > .badge, :scope > div > .badge') !== null).map(each => {
      const badge = each.querySelector('.badge');
      return (each.querySelector('.url, .name').textContent.replace(/^\//, '') + ' ' + badge.textContent + ' ' + badge.className.replace('badge', '')).replace(/ +/g, ' ');
    }));
    for (const line of found) say('badge', place + ' ' + line);
  }
}

withBrowser(browserPath, async browser => {
  if (first === '--glance') {
    for (const path of rest) await glance(await open(browser, path));
    return;
  }
  if (first === '--links') {
    await lookAtBroken(await open(browser, rest[0]));
    return;
  }
  if (first === '--badges') {
    await lookAtBadges(await open(browser, rest[0]));
    return;
  }
  const page = await open(browser, first);
  for (const look of [lookAtFigures, lookAtTimeline, lookAtBroken, lookAtTable, lookAtTree, lookAtColors, lookOnPhone]) await look(page);
});
