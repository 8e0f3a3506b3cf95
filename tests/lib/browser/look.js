// What the scripts that look at a page with a real browser have in common. They print what they find, one
// "name value" a line.
'use strict';
const puppeteer = require('puppeteer-core');

const say = (name, ...values) => console.log(name, ...values);

// A browser for the time of look(browser). An error ends the script: it is a line, and the exit status.
async function withBrowser(executablePath, look) {
  let browser;
  try {
    browser = await puppeteer.launch({
      executablePath,
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run',
        '--disable-component-update', '--disable-sync'],
    });
    await look(browser);
  } catch (error) {
    say('failed', error.stack);
    process.exitCode = 1;
  } finally {
    if (browser) await browser.close();
  }
}

// A page of this size. What it should not do is a line: errors, words on the console, questions, and requests for
// URLs that isOwn does not know.
async function watchedPage(browser, width, height, isOwn) {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  page.on('console', message => say('console', message.type() + ': ' + message.text()));
  page.on('pageerror', error => say('error', error.message));
  page.on('dialog', dialog => {
    say('dialog', dialog.message());
    dialog.dismiss();
  });
  page.on('request', request => {
    if (!isOwn(request.url()) && !request.url().startsWith('data:')) say('request', request.url());
  });
  return page;
}

// A page in a file, that says itself when it is ready.
async function openFile(browser, width, height, path) {
  const url = 'file://' + encodeURI(path);
  const page = await watchedPage(browser, width, height, asked => asked === url);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForSelector('html[data-ready=yes]');
  return page;
}

module.exports = { say, withBrowser, watchedPage, openFile };
