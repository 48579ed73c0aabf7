// Opens the console in the system's Chromium, and watches for what must never happen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** A browser profile that collects its faults: errors in the console, and requests to anywhere else. */
export async function profile(browser, server, prefs = {}, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'Europe/Berlin', locale: 'en-GB', reducedMotion: 'reduce', bypassCSP: false, ...options });
  context.setDefaultTimeout(20_000);
  const faults = [];
  await context.addInitScript((text) => {
    // A page that is blank, or stands for a server that is away, has no storage.
    if (location.protocol.startsWith('http') && !localStorage.getItem('mainspring.prefs')) localStorage.setItem('mainspring.prefs', text);
  }, JSON.stringify(prefs));
  context.on('page', (page) => {
    page.on('console', (message) => {
      // A refused or unreachable request is told by the browser itself; journeys that provoke one say so.
      const isRequest = /Failed to load resource|ERR_CONNECTION/.test(message.text());
      if (message.type() === 'error' && !(isRequest && context.expectsFailures)) faults.push(`console: ${message.text()} ${isRequest ? message.location().url : ''} at ${page.url()}`);
    });
    page.on('pageerror', (error) => faults.push(`error: ${error.message} at ${page.url()}`));
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') faults.push(`dialog: ${dialog.message()}`);
      void dialog.accept();
    });
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !/^(data|blob|about):/.test(request.url())) faults.push(`foreign request: ${request.url()}`);
  });
  if (process.env.CONSOLE_DIST) await serveFromDisk(context, server, process.env.CONSOLE_DIST);
  context.faults = faults;
  return context;
}

/** While working on the console: the bundle of a folder in place of the one that is embedded. */
async function serveFromDisk(context, server, folder) {
  const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
  const base = new URL(server.url).pathname.replace(/\/$/, '');
  await context.route(`${server.url}/assets/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(base.length + 1);
    return route.fulfill({ body: readFileSync(`${folder}/${name}`), contentType: types[name.split('.').at(-1)] });
  });
  await context.route(
    (url) => url.href.startsWith(server.url) && !/^\/(api|assets)\//.test(url.pathname.slice(base.length)),
    async (route) => {
      const response = await route.fetch();
      const config = /id="config">([^<]*)</.exec(await response.text())?.[1] ?? '{}';
      await route.fulfill({ response, body: readFileSync(`${folder}/index.html`, 'utf8').replace('id="config">{}<', `id="config">${config}<`).replace(/<base href="[^"]*"/, `<base href="${base}/"`) });
    },
  );
}

/** Signs in as people do: with a new link. */
export async function signIn(context, server) {
  const { url } = await server.call('POST', '/api/v1/session/link');
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL((at) => !at.pathname.includes('/login'));
  await settled(page);
  return page;
}

/** Waits until the page shows data and not that it is on its way. */
export async function settled(page) {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector(':is(main, [role="dialog"]) [role="status"][aria-label]') && !document.querySelector('[aria-busy="true"]'));
}

/** Goes to an address of the console as a link does, without loading it anew. */
export async function visit(page, path) {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await page.waitForFunction(() => document.documentElement.dataset.shown === location.pathname + location.search + location.hash);
  await settled(page);
}

/** Waits until the page of the address is on screen: until then, locators find what is on the page before it. */
export function shown(page) {
  return page.waitForFunction(() => document.documentElement.dataset.shown?.split(/[?#]/)[0] === location.pathname);
}

/** Waits until a click has led to an address, and to its page. */
export async function arrived(page, url) {
  await page.waitForURL(url);
  await shown(page);
}

/** Pastes text into the YAML editor. Typing takes a second for forty lines, and the browser's own insertion makes elements with styles. */
export function paste(page, text) {
  return page.locator('.cm-content').evaluate((editor, given) => {
    const data = new DataTransfer();
    data.setData('text/plain', given);
    editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/** By how many pixels a page is wider than the window, or what it shows than the room for it. */
export function tooWide(page) {
  return page.evaluate(() => {
    const main = document.querySelector('main');
    return Math.max(document.documentElement.scrollWidth - innerWidth, main ? main.scrollWidth - main.clientWidth : 0);
  });
}

/** Returns what axe finds against WCAG 2.2 AA. */
export async function violations(page) {
  // Through the debugger: the content security policy forbids scripts that the page did not bring.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  // Colours that are on their way are those of neither state.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime)).map((one) => one.finished)));
  const found = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] }),
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`).join(' | ')}`);
}
