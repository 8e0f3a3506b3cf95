// Looks at a page of `weft trace report` with a real browser and prints what it found, one
// "name value" a line; errors of the page and requests to anywhere are lines too.
//
//   node look.js BROWSER PAGE.html [PICTURES-FOLDER]
//   node look.js BROWSER --glance PAGE.html...        only whether they work, a "glance" line each
'use strict';
const { say, withBrowser, openFile } = require('../../lib/browser/look.js');

const [, , browserPath, first, ...rest] = process.argv;
const [pictures] = rest;
const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));

async function open(browser, path) {
  const page = await openFile(browser, 1440, 900, path);
  await page.waitForFunction(() => document.getElementById('timeline').dataset.frame !== undefined);
  return page;
}

const shown = page => page.$eval('#range', range => Number(range.dataset.to) - Number(range.dataset.from));
const rows = page => page.$eval('.grid', grid => Number(grid.getAttribute('aria-rowcount')));

async function lookAtFigures(page) {
  for (const [name, value] of await page.$$eval('#figures > div', all => all.map(each => [each.dataset.figure, each.dataset.value])))
    say('figure-' + name, value);
  say('types', (await page.$$eval('#tab-types small', all => all[0].textContent)));
}

// Zooming with the wheel, the keys and the buttons; the slowest frame of many.
async function lookAtZoom(page) {
  const box = await (await page.$('#timeline')).boundingBox();
  say('zoom-before', await shown(page));
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const times = [];
  for (let i = 0; i < 24; i++) {
    await page.mouse.wheel({ deltaY: i < 12 ? -120 : 120 });
    await page.evaluate(frames);
    times.push(Number(await page.$eval('#timeline', canvas => canvas.dataset.frame)));
    if (i === 11) say('zoom-in', await shown(page));
  }
  say('zoom-out', await shown(page));
  times.sort((a, b) => a - b);
  say('frame-median-ms', times[12]);
  say('frame-slowest-ms', times[23]);
  await page.mouse.move(2, 2);
  await page.focus('#timeline');
  await page.keyboard.press('+');
  say('zoom-key', await shown(page));
  const from = () => page.$eval('#range', range => Number(range.dataset.from));
  const before = await from();
  await page.keyboard.press('ArrowRight');
  say('moved', await from() > before);
  await page.keyboard.press('0');
  say('zoom-all', await shown(page));
}

async function lookAtFilter(page) {
  say('rows', await rows(page));
  await page.focus('#timeline');
  await page.keyboard.press('/'); // goes to the filter
  await page.keyboard.type('dns_lookup');
  say('rows-filtered', await rows(page));
  const drawn = await page.$$eval('.grid .row', all => all.map(row => row.firstChild.textContent));
  say('drawn-few', drawn.length > 0 && drawn.length < 60);
  say('drawn-right', drawn.every(type => type === 'dns_lookup'));
  await page.$eval('#filter', input => { input.value = ''; input.dispatchEvent(new Event('input')); });
  await page.click('#groups button');
  say('rows-without-group', await rows(page));
  await page.click('#groups button');
  say('rows-again', await rows(page));
}

async function lookAtTable(page) {
  const lengths = () => page.$$eval('.grid .row', all => all.slice(0, 12).map(row => row.children[3].textContent));
  const begin = (await page.$$('.grid .head button'))[3];
  await begin.click();
  const rising = await lengths();
  await begin.click();
  say('sorted', JSON.stringify(rising) !== JSON.stringify(await lengths()));
  await page.focus('.grid');
  await page.keyboard.press('ArrowDown');
  say('beside', await page.evaluate(() => document.getElementById('detail').getBoundingClientRect().left >=
    document.getElementById('panel').getBoundingClientRect().right));
  say('picked', await page.$eval('#detail', detail => !detail.hidden) && await page.$$eval('.row.picked', all => all.length) === 1);
  await page.keyboard.press('Escape');
  say('let-go', await page.$eval('#detail', detail => detail.hidden));
}

// Hovering over the last of the slowest chain shows the way up.
async function lookAtHover(page) {
  await page.click('#tab-chains');
  const links = await page.$$('.chain:first-child button');
  say('chain-links', links.length);
  await links[links.length - 1].click();
  await page.evaluate(frames);
  const at = await page.evaluate(() => { // the page's own names
    /* global timeline, trace, OP_ROW */
    const i = timeline.picked;
    return [timeline.x((trace.ops.begin[i] + trace.ops.end[i]) / 2), timeline.opY(timeline.ops.row[i]) + OP_ROW / 2];
  });
  const box = await (await page.$('#timeline')).boundingBox();
  await page.mouse.move(box.x + at[0], box.y + at[1]);
  await page.evaluate(frames);
  say('tip', await page.$eval('#tip h2', title => title.firstChild.textContent));
  say('tip-way', await page.$$eval('#tip .way li', all => all.length));
}

async function lookAtColors(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const pixel = () => page.$eval('#timeline', canvas => {
    const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, canvas.width - 20, canvas.height - 3, 1, 1, 0, 0, 1, 1);
    return copy.getImageData(0, 0, 1, 1).data[0];
  });
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.evaluate(frames);
    say('paper-' + scheme, await paper());
    say('canvas-' + scheme, await pixel() > 128 ? 'bright' : 'dark');
    if (pictures) await page.screenshot({ path: `${pictures}/${scheme}.png` });
  }
}

// Every tab, a zoom; how many operations there are, images that nobody put there, and what is told.
async function glance(page) {
  await page.click('#zoom-in');
  for (const tab of await page.$$('#tabs button')) await tab.click();
  await page.evaluate(frames);
  say('glance', await page.$eval('#figures > div', figure => figure.dataset.value) + ' ' + await page.$$eval('img', all => all.length));
  const notice = await page.$eval('#notice', element => element.checkVisibility() ? element.textContent : '');
  if (notice !== '') say('notice', notice);
}

withBrowser(browserPath, async browser => {
  await (await browser.newPage()).close(); // what the browser itself takes to begin with is not ours
  if (first === '--glance') {
    for (const path of rest) await glance(await open(browser, path));
    return;
  }
  const begun = Date.now(), page = await open(browser, first);
  say('load-ms', Date.now() - begun);
  for (const look of [lookAtFigures, lookAtZoom, lookAtFilter, lookAtTable, lookAtHover, lookAtColors]) await look(page);
});
