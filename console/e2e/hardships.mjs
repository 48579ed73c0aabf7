// What goes wrong around a console, and what people type: each must be borne. As journeys.mjs.
import { pages } from './pages.mjs';
import { arrived, settled, signIn, tooWide, visit } from './browser.mjs';

/** What `make proof` runs and `make test` does not. */
export const long = ['everyAddressLoads', 'forbiddenNames', 'longNames'];

/** Every address brings back the page that it stands for, loaded anew. */
export async function everyAddressLoads({ server, seen, open }) {
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  const problems = [];
  for (const path of pages(seen)) {
    await visit(page, path);
    const before = await page.locator('h1').first().innerText();
    await page.goto(server.url + path);
    await settled(page);
    const at = await page.evaluate(() => location.pathname + location.search + location.hash);
    if (at !== path) problems.push(`${path} became ${at}`);
    const after = await page.locator('h1').first().innerText();
    if (after !== before) problems.push(`${path} was "${before}" and is "${after}"`);
  }
  return problems;
}

/** Below a path, the console asks for nothing beside it; and the cookie of another server on the same host signs nobody in. */
export async function belowAPathBesideAnother({ server, own, open }) {
  const other = await own('--base-path', '/ops/jobs');
  const base = new URL(other.url).pathname;
  if (base !== '/ops/jobs') return [`the server is at ${base}`];
  await other.job('elsewhere', { noop: true });
  const context = await open({}, {}, other);
  const page = await signIn(context, other);
  for (const path of ['/ns/default', '/ns/default/jobs/elsewhere', '/ns/default/runs', '/settings']) await visit(page, base + path);
  await page.goto(`${other.url}/ns/default/jobs`);
  await page.getByRole('link', { name: 'elsewhere' }).click();
  await page.getByRole('heading', { name: 'elsewhere' }).waitFor();
  // Browsers send cookies to every port of a host.
  const both = await open();
  both.expectsFailures = true;
  const cookies = await context.cookies();
  await both.addCookies(cookies.map((cookie) => ({ ...cookie, path: '/' })));
  const stranger = await both.newPage();
  await stranger.goto(`${server.url}/ns/default/jobs?q=nightly-report`);
  await stranger.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await stranger.getByLabel('Access token').fill(server.token);
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByRole('link', { name: 'nightly-report' }).waitFor();
}

/** A browser whose clock is three hours fast says so, and shows times by the server's. */
export async function wrongClock({ server, open }) {
  const run = await server.run('long-one');
  const context = await open();
  await context.addInitScript(() => {
    const now = Date.now.bind(Date);
    const ahead = 3 * 3_600_000;
    globalThis.Date = class extends Date {
      constructor(...given) {
        super(...(given.length === 0 ? [now() + ahead] : given));
      }
      static now() {
        return now() + ahead;
      }
    };
  });
  const page = await signIn(context, server);
  await visit(page, '/settings');
  await page.getByText(/(3 h|2 h 59 m) ?(\d+ \w+)? ahead of the server/).waitFor();
  await visit(page, `/ns/default/runs/${run}`);
  const took = await page.locator('main li[data-now]').innerText();
  if (/\d h/.test(took)) return [`a run of minutes is shown as "${took}"`];
}

const forbidden = [...'/\\ \t:;,<>"\'`|&$%#@!?*+=~^()[]{}é作💥\u0000\u007f\u200b\u202e', '.', '-'];

/** Names with characters that none may have are refused with what is wrong, and nothing is saved. */
export async function forbiddenNames({ server, open }) {
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/new');
  const before = (await server.call('GET', '/api/v1/namespaces/default/jobs?limit=1000')).items.length;
  const problems = [];
  for (const character of forbidden) {
    const name = character === '.' || character === '-' ? `${character}begins` : `bad${character}name`;
    await page.getByLabel('Name', { exact: true }).fill(name);
    const typed = await page.getByLabel('Name', { exact: true }).inputValue();
    // The field drops what no line can hold.
    if (typed !== name) continue;
    await page.locator('main [aria-invalid="true"]').first().waitFor();
    if ((await page.getByRole('button', { name: 'Save', exact: true }).getAttribute('aria-disabled')) !== 'true') problems.push(`${JSON.stringify(name)} can be saved`);
    await page.getByLabel('Name', { exact: true }).fill('fine');
    await page.getByText('Valid. It can be saved.').waitFor();
  }
  const after = (await server.call('GET', '/api/v1/namespaces/default/jobs?limit=1000')).items.length;
  if (after !== before) problems.push(`${after - before} jobs were saved`);
  if (forbidden.length < 40) problems.push(`only ${forbidden.length} characters were tried`);
  return problems;
}

/** Names of 128 characters, and of every character that may be in one, fit into every table. */
export async function longNames({ server, open }) {
  const long = `N${'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-'.repeat(2)}`.slice(0, 128);
  await server.call('PUT', `/api/v1/namespaces/default/calendars/${long}`, { name: long, holiday: ['2027-01-01'] });
  await server.job(long, { run: 'exit 1', queue: long, schedule: { cron: '* * * * *', name: long }, labels: { [long.slice(0, 60)]: long }, calendar: long, description: long.repeat(4) });
  await server.run(long);
  const longest = await longEverywhere(server, long);
  const page = await signIn(await open(), server);
  const problems = [];
  for (const path of [...longest, '/ns/default', `/ns/default/jobs?cols=name,schedule,labels,queue,next&q=${long}`, `/ns/default/jobs/${long}`, `/ns/default/jobs/${long}?tab=schedule`, '/ns/default/runs?cols=state,job,queue,reason', '/ns/default/queues', '/ns/default/calendars']) {
    await visit(page, path);
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await tooWide(page);
      if (wide > 0) problems.push(`${path} is ${wide} px wider than ${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  await server.call('DELETE', `/api/v1/namespaces/default/jobs/${long}`);
  return problems;
}

/** The same name in every other table, and the pages that have them. */
async function longEverywhere(server, long) {
  const call = (method, path, body) => server.call(method, `/api/v1/${path}`, body);
  const asks = `A${long.slice(1)}`;
  await server.job(asks, { tasks: { [long.slice(0, 64)]: { approval: { prompt: long.repeat(2) } } } });
  await server.run(asks);
  const gone = `B${long.slice(1)}`;
  await server.job(gone, { schedule: '0 2 * * *', timezone: 'UTC', noop: true });
  await call('POST', `namespaces/default/jobs/${gone}/backfills`, { from: '2026-10-06', to: '2026-10-06' });
  await call('PUT', `namespaces/default/flows/${long}`, { flow: long, description: long, components: { [long]: { generate: { payload: long }, end: 'success' } }, connections: [] });
  await call('POST', 'webhooks', { name: long, url: `https://example.com/${long}` });
  await call('PUT', `alert-channels/${long}`, { name: long, webhook: { url: 'http://127.0.0.1:9/' } });
  await call('PUT', `alert-rules/${long}`, { name: long, namespace: 'default', job: long, alerts: [{ failed: true, channels: [long] }] });
  await call('POST', 'alert-silences', { namespace: 'default', job: long, until: new Date(Date.now() + 7_200_000).toISOString(), reason: long });
  await call('POST', 'operations', { action: 'pause', selector: { namespace: 'default', names: [gone] }, reason: long });
  await call('PUT', `views/${long.slice(0, 64)}`, { page: 'jobs', query: long });
  const at = (page) => `/ns/default/${page}`;
  return [...['approvals', 'backfills', 'flows', `flows/${long}`, `flows/${long}?view=list`, `flows/${long}?at=${long}`, 'alerts?tab=rules', 'alerts?tab=channels', 'alerts?tab=silences', `queues/${long}`, `misfires?job=${long}`, `misfires?job=${long}&group=job`, `workers/${long}`, 'workers'].map(at), `/cluster/nodes/${long}`, '/webhooks', '/operations', '/settings'];
}

/** Input is nested deeply, output is large, numbers are beyond 2^53: shown with every digit, or refused in words. */
export async function hardJson({ server, seen, open }) {
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  await visit(page, `/ns/default/runs/${seen.big}?tab=data`);
  await page.getByText('9007199254740993').waitFor();

  await visit(page, '/ns/default/jobs/big-numbers');
  const ask = async (input) => {
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByLabel('Input, as JSON').fill(input);
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  };
  await ask(`{"id": 12345678901234567890, "deep": ${'['.repeat(20)}${']'.repeat(20)}}`);
  await page.getByRole('link', { name: 'Open the run' }).click();
  await arrived(page, '**/runs/*');
  await page.getByRole('tab', { name: 'Input and output' }).click();
  await page.getByText('12345678901234567890').waitFor();

  await visit(page, '/ns/default/jobs/big-numbers');
  await ask(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
  await page.getByText('nested deeper than').waitFor();

  await server.job('deep', { run: `echo '${'{"a":'.repeat(200)}1${'}'.repeat(200)}' >> "$MS_OUTPUT"` });
  const deep = await server.run('deep');
  await server.final(deep);
  await visit(page, `/ns/default/runs/${deep}?tab=data`);
  await page.getByRole('heading', { name: 'Output' }).waitFor();

  await server.job('large', { run: `head -c 10000000 /dev/zero | tr '\\0' x | sed 's/^/text=/' >> "$MS_OUTPUT"` });
  const large = await server.run('large');
  await server.final(large);
  await visit(page, `/ns/default/runs/${large}?tab=data`);
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText('"text"').waitFor();
  const drawn = await page.evaluate(() => document.querySelector('main').textContent.length);
  if (drawn > 200_000) return [`${drawn} characters of the output are drawn`];
}

/** Markup in descriptions, inputs, outputs, reasons and logs is text, wherever it stands. */
export async function markupStaysText({ server, seen, open }) {
  await server.job('marked', { run: 'printf \'{"html":"<b>bold</b>","ansi":"\\\\u001b[31mred"}\\n\' >> "$MS_OUTPUT"' });
  const marked = await server.run('marked');
  await server.final(marked);
  const page = await signIn(await open(), server);
  const problems = [];
  for (const [path, text] of [
    ['/ns/default/jobs/nightly-report', 'The <b>report</b> of the night & its "figures"'],
    [`/ns/default/runs/${seen.big}?tab=data`, '<img src=x onerror=alert(1)>'],
    [`/ns/default/runs/${seen.failed}`, '<script>alert(1)</script>'],
    [`/ns/default/runs/${marked}?tab=data`, '<b>bold</b>'],
    [`/ns/default/runs/${marked}?tab=data`, '[31mred'],
    ['/ns/default/alerts?tab=silences', 'The <b>disk</b> is replaced'],
  ]) {
    await visit(page, path);
    await page.getByText(text).filter({ visible: true }).first().waitFor();
    const made = await page.locator('main :is(b, img, script)').count();
    if (made > 0) problems.push(`${path} has ${made} elements of the text`);
  }
  return problems;
}
