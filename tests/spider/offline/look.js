// Looks at a copy of a site on the disk with a real browser, along its links, and prints what does not work; then
// how much there was.
//
//   node look.js BROWSER START.html
//
// Every page is read by the browser's own parser, and what it speaks of has to be a file. A page that speaks of an
// image, a style sheet or a script that none before it spoke of is opened: then that has to load, with nothing
// asked of the network. Hosts below .invalid are nowhere: what the demo site has from there cannot be had.
'use strict';
const fs = require('fs');
const { fileURLToPath, pathToFileURL } = require('url');
const { say, withBrowser } = require('../../lib/browser/look.js');

const [, , browserPath, start] = process.argv;
const counts = { pages: 0, opened: 0, images: 0, styles: 0, scripts: 0, links: 0, outside: 0 };
const AT_ONCE = 50;

// In the browser: what the pages speak of, as URLs.
function read(pages) {
  return pages.map(({ url, text }) => {
    const page = new DOMParser().parseFromString(text, 'text/html');
    const bases = [...page.querySelectorAll('base[href]')].map(base => base.getAttribute('href')).filter(href => href !== '');
    const whole = (selector, attribute) =>
      [...page.querySelectorAll(selector)].map(each => each.getAttribute(attribute)).filter(value => value !== null && value.trim() !== '')
        .map(value => { try { return new URL(value, url).href; } catch { return value; } });
    const refresh = [...page.querySelectorAll('meta[http-equiv=refresh i]')].map(meta => /url=['"]?([^'"]+)/i.exec(meta.content)).filter(Boolean)
      .map(match => new URL(match[1], url).href);
    return {
      url, bases, refresh,
      images: whole('img[src]', 'src'),
      styles: whole('link[rel~=stylesheet]', 'href'),
      scripts: whole('script[src]', 'src'),
      links: [...whole('a[href], area[href]', 'href'), ...whole('iframe[src], frame[src]', 'src'), ...refresh],
    };
  });
}

// In a page that is open: what of it does not work.
function faults() {
  const images = [...document.querySelectorAll('img[src], img[srcset]')].filter(img => /^file:/.test(img.currentSrc || img.src) && (!img.complete || img.naturalWidth === 0)).map(img => img.outerHTML);
  const styles = [...document.querySelectorAll('link[rel~=stylesheet][href]')].filter(link => link.sheet === null).map(link => link.outerHTML);
  return [...images, ...styles];
}

const fileOf = url => fileURLToPath(url.split('#')[0].split('?')[0]);
const isFile = url => {
  try {
    return fs.statSync(fileOf(url)).isFile();
  } catch {
    return false;
  }
};
const isNowhere = url => /^https?:\/\/[^/]*\.invalid\//.test(url);
const isPage = url => /\.(x?html?)$/.test(url.split('#')[0].split('?')[0]);

const seen = new Set(), shown = new Set();
let waiting = [];
function follow(url) {
  const plain = url.split('#')[0].split('?')[0];
  if (seen.has(plain)) return;
  seen.add(plain);
  waiting.push(plain);
}

// true: it has something that was not seen in the browser yet.
function judge(page) {
  let fresh = false;
  counts.pages++;
  for (const base of page.bases) say('base', base, 'in', page.url);
  for (const kind of ['images', 'styles', 'scripts'])
    for (const url of page[kind]) {
      counts[kind]++;
      if (url.startsWith('data:') || isNowhere(url)) continue;
      if (!url.startsWith('file:') || !isFile(url)) say(kind, url, 'in', page.url);
      if (!shown.has(url)) fresh = true;
      shown.add(url);
    }
  for (const link of page.links) {
    if (!link.startsWith('file:')) {
      counts.outside++;
      continue;
    }
    counts.links++;
    if (!isFile(link)) say('link', link, 'in', page.url);
    else if (isPage(link)) follow(link);
  }
  return fresh && page.refresh.length === 0;
}

async function open(tab, url) {
  counts.opened++;
  tab.weftUrl = url;
  await tab.goto(url, { waitUntil: 'load' });
  for (const fault of await tab.evaluate(faults)) say('broken', fault, 'in', url);
}

async function watch(tab) {
  tab.on('request', request => {
    if (!/^(file|data|about|blob):/.test(request.url()) && !isNowhere(request.url())) say('request', request.url(), 'in', tab.weftUrl);
  });
  tab.on('requestfailed', request => {
    if (request.url().startsWith('file:') && !request.isNavigationRequest()) say('failed', request.url(), 'in', tab.weftUrl);
  });
}

withBrowser(browserPath, async browser => {
  const reader = await browser.newPage(), tab = await browser.newPage();
  await watch(tab);
  follow(pathToFileURL(start).href);
  while (waiting.length > 0) {
    const some = waiting.slice(0, AT_ONCE).map(url => ({ url, text: fs.readFileSync(fileOf(url), 'utf8') }));
    waiting = waiting.slice(AT_ONCE);
    for (const page of await reader.evaluate(read, some)) if (judge(page)) await open(tab, page.url);
  }
  for (const [name, count] of Object.entries(counts)) say('count', name, count);
});
