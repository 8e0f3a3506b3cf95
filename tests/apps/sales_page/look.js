// Looks at the page of `weft sales serve` with a real browser and prints what it found, one "name value"
// a line; errors of the page and requests to anywhere but the server are lines too.
//
//   node look.js BROWSER URL [PICTURES-FOLDER]
'use strict';
const { say, withBrowser, watchedPage } = require('../../lib/browser/look.js');

const [, , browserPath, url, pictures] = process.argv;
const polled = (page, count) => page.waitForFunction(least => Number(document.documentElement.dataset.polled) >= least, {}, count);

const open = browser => watchedPage(browser, 1280, 800, asked => asked.startsWith(url + '/'));

async function lookWithoutScript(browser) {
  const page = await open(browser);
  await page.setJavaScriptEnabled(false);
  await page.goto(url + '/');
  say('plain-total', await page.$eval('[data-figure=total] dd', figure => figure.textContent));
  say('plain-rows', await page.$$eval('#items tbody tr', all => all.length));
  await page.close();
}

async function lookAtItems(page) {
  for (const [name, total] of await page.$$eval('#items tbody tr', all => all.map(row => [row.children[0].textContent, row.children[1].textContent])))
    say('item', JSON.stringify(name) + ' ' + total);
  say('images', await page.$$eval('main img, main script', all => all.length));
}

async function measure(page) {
  await page.click('#measure');
  await page.waitForFunction(() => !document.getElementById('measure').disabled);
  for (const [mode, count, bars] of await page.$$eval('#plot [data-mode]', all => all.map(each => [each.dataset.mode, each.dataset.count, each.querySelectorAll('.hill rect').length])))
    say('plot-' + mode, `${count} ${bars > 0}`);
  say('labels-on-bars', await page.$$eval('#plot [data-mode]', all => all.filter(each => {
    const boxes = what => [...each.querySelectorAll(what)].map(one => one.getBBox());
    const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    return boxes('text:not(.name)').some(label => boxes('.hill rect').some(bar => meet(label, bar)));
  }).length));
}

async function lookAtFigures(page) {
  for (const [name, value, text] of await page.$$eval('#figures > div', all => all.map(each => [each.dataset.figure, each.dataset.value, each.querySelector('dd').textContent]))) {
    say('figure-' + name, value);
    say('shown-' + name, text.replaceAll(',', ''));
  }
}

async function lookAtLooks(page) {
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  for (const [size, width] of [['wide', 1280], ['narrow', 340]]) {
    await page.setViewport({ width, height: 800 });
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    say('overflow-' + size, await wide());
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      if (size === 'wide') say('paper-' + scheme, await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      if (pictures) await page.screenshot({ path: `${pictures}/sales-${size}-${scheme}.png`, fullPage: true });
    }
  }
}

withBrowser(browserPath, async browser => {
  await lookWithoutScript(browser);
  const page = await open(browser);
  await page.goto(url + '/', { waitUntil: 'load' });
  await polled(page, 0);
  for (const look of [lookAtItems, measure, lookAtFigures, lookAtLooks]) await look(page);
  await polled(page, 2);
  say('live', await page.$eval('#live', live => live.textContent.startsWith('live')));
});
