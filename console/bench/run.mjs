// Measures the console over the real program: make bench-console HISTORY=10000000 CLIENTS=200 DASHBOARDS=50 SECONDS=30
// Prints a line of JSON for each figure, and ends with 1 where one misses its bound.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { launch, paste, profile, settled, signIn, visit } from '../e2e/browser.mjs';
import { Server, fill } from '../e2e/server.mjs';
import { Watcher, percentile, wait } from './load.mjs';

const size = (name, otherwise) => Number(process.env[name] ?? otherwise);
const history = size('HISTORY', 10_000_000);
const jobs = size('JOBS', 100_000);
const lines = size('LINES', 1_000_000);
const clients = size('CLIENTS', 200);
const dashboards = size('DASHBOARDS', 50);
const seconds = size('SECONDS', 30);
let missed = 0;

function report(name, figures, bound, value) {
  const ok = bound === undefined || value <= bound;
  if (!ok) missed += 1;
  console.log(JSON.stringify({ name, ...figures, ...(bound === undefined ? {} : { bound, ok }) }));
}

/** From the address of a list or a log to its first rows; and from a search to what it has found. */
async function lists(browser, server) {
  const page = await signIn(await profile(browser, server), server);
  const timed = async (act) => {
    const begun = performance.now();
    await act();
    return performance.now() - begun;
  };
  const open = (path, row) => timed(() => visit(page, path).then(() => page.locator(row).first().waitFor()));
  const found = [];
  for (let n = 0; n < 10; n += 1) {
    await visit(page, '/settings');
    // Another order each time, that nothing has kept.
    found.push(await open(`/ns/default/jobs?q=rest-${n}`, 'tbody tr'));
  }
  report('first page of a list of jobs', { jobs, p50_ms: percentile(found, 0.5), max_ms: percentile(found, 1) }, 300, percentile(found, 0.5));

  const run = await server.run('many-lines');
  await server.final(run);
  const opened = [];
  for (let n = 0; n < 5; n += 1) {
    await visit(page, '/settings');
    opened.push(await open(`/ns/default/runs/${run}`, '[role="log"] [data-index]'));
  }
  const total = (await server.call('GET', `/api/v1/runs/${run}/log?tail=1`)).total_lines;
  report('a long log opens', { lines: total, p50_ms: percentile(opened, 0.5), max_ms: percentile(opened, 1) }, 500, percentile(opened, 0.5));
  const searched = await timed(async () => {
    await page.getByLabel('Find in the whole log').fill('needle in line 4');
    await page.locator('[role="log"] mark').first().waitFor();
  });
  report('a search in it shows the first match', { lines: total, ms: Math.round(searched) }, 2000, searched);
  await page.context().close();
}

/** Final runs of many jobs, written into the file while no server has it. Their ids are older than all others. */
function fillHistory(server, rows) {
  const sql = `
    PRAGMA synchronous = OFF;
    CREATE TEMP TABLE jobs (n INTEGER PRIMARY KEY, id INTEGER);
    INSERT INTO jobs SELECT row_number() OVER () - 1, id FROM job;
    WITH RECURSIVE row(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM row WHERE i + 1 < ${rows})
    INSERT INTO history (id, job_id, job_version, state, origin, fire_time, due_at, created_at, claimed_at, started_at, ended_at, attempt, outcome, priority)
    SELECT CAST(x'01a0' || printf('%014d', i) AS BLOB), (SELECT id FROM jobs WHERE n = i % (SELECT count(*) FROM jobs)), 1,
      CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, 'schedule', at, at, at, at + 2, at + 3, at + 40, 1,
      CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, 5
    FROM (SELECT i, (unixepoch() - 86400) * 1000 + i * 86000000 / ${rows} AS at FROM row);`;
  execFileSync('sqlite3', [join(server.data, 'd/mainspring.db'), sql], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Largest contentful paint of pages, loaded anew on a processor that is four times as slow. */
async function paint(browser, server) {
  const page = await signIn(await profile(browser, server), server);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  for (const path of ['/ns/default', '/ns/default/jobs', '/ns/default/runs']) {
    const times = [];
    for (let n = 0; n < 5; n += 1) {
      await page.goto(server.url + path);
      await settled(page);
      times.push(await page.evaluate(() => new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))));
    }
    report('largest contentful paint, processor 4 times slower', { path, p50_ms: percentile(times, 0.5), max_ms: percentile(times, 1) }, 1000, percentile(times, 0.5));
  }
  await page.context().close();
}

/** A graph of 2,000 tasks with two needs each: what its layout takes in the browser's worker. */
async function graph(browser, server) {
  const page = await signIn(await profile(browser, server), server);
  page.context().expectsFailures = true;
  const tasks = Array.from({ length: 2000 }, (_, n) => `  t${n}: {noop: true, needs: [${[...new Set([n - 1 - ((n * 7919) % 60), n - 1 - ((n * 104_729) % 60)].filter((need) => need >= 0).map((need) => `t${need}`))].join(', ')}]}`);
  await visit(page, '/ns/default/jobs/new?mode=yaml');
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await paste(page, `name: wide\ntasks:\n${tasks.join('\n')}\n`);
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  const took = Number(await page.locator('svg[data-took]').getAttribute('data-took'));
  report('layout of 2,000 tasks', { took_ms: took }, 200, took);
  await page.context().close();
}

/** From the end of a run, as the server records it, to its state on a page, while others listen too. */
async function pixel(browser, server) {
  const watchers = await Promise.all(Array.from({ length: clients }, () => Watcher.listen(server, 'runs,stats')));
  const page = await signIn(await profile(browser, server), server);
  const times = [];
  for (let n = 0; n < 20; n += 1) {
    const id = await server.run('pixel');
    await visit(page, `/ns/default/runs/${id}`);
    // The page's own clock is the server's: both are on this machine.
    const seen = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () => (document.querySelector('main h1')?.parentElement?.textContent.includes('succeeded') ? resolve(Date.now()) : requestAnimationFrame(look));
          look();
        }),
    );
    const run = await server.call('GET', `/api/v1/runs/${id}`);
    times.push(seen - Date.parse(run.ended_at));
  }
  for (const watcher of watchers) watcher.stop();
  report('end of a run to pixel', { clients, p50_ms: percentile(times, 0.5), max_ms: percentile(times, 1) }, 1000, percentile(times, 1));
  await page.context().close();
}

/** Lateness of fires while dashboards are open over a long history, beside the lateness without them. */
async function beside(server) {
  const rest = await lateness(server);
  const watchers = await Promise.all(Array.from({ length: dashboards }, () => Watcher.listen(server, 'runs,jobs,stats')));
  const answers = [];
  for (const watcher of watchers) watcher.dashboard(answers);
  const busy = await lateness(server);
  for (const watcher of watchers) watcher.stop();
  report('answers to dashboards', { history, dashboards, requests: answers.length, p50_ms: percentile(answers, 0.5), p99_ms: percentile(answers, 0.99) });
  report('lateness of fires beside dashboards', { history, dashboards, seconds, fires: busy.length, alone_p99_ms: percentile(rest, 0.99), p50_ms: percentile(busy, 0.5), p99_ms: percentile(busy, 0.99), max_ms: percentile(busy, 1) }, 250, percentile(busy, 0.99));
}

/** Lateness of all fires of the jobs that tick, over the measured span. */
async function lateness(server) {
  const from = new Date().toISOString();
  await wait(seconds * 1000);
  const found = [];
  let cursor = '';
  do {
    const page = await server.call('GET', `/api/v1/namespaces/default/runs?from=${from}&limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page.items.filter((run) => run.job.startsWith('tick-') && typeof run.lateness_ms === 'number').map((run) => run.lateness_ms));
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  if (found.length === 0) throw new Error('nothing has fired');
  return found;
}

const server = new Server('--keep-history', '365d', '--keep-runs', '100000000');
await server.start();
const browser = await launch();
try {
  await fill(server);
  await server.job('pixel', { run: 'sleep 0.5' });
  await server.job('many-lines', { run: `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) print (i % 100000 ? "" : "needle in line ") i }'` });
  const ticking = Array.from({ length: 100 }, (_, n) => ({ name: `tick-${n}`, schedule: { cron: '* * * * * ?', misfire: 'do_nothing' }, noop: true }));
  const resting = Array.from({ length: jobs }, (_, n) => ({ name: `rest-${n}`, schedule: `${n % 60} ${n % 24} * * *`, noop: true }));
  for (let at = 0; at < resting.length; at += 5000) await server.call('POST', '/api/v1/apply', { namespace: 'default', jobs: resting.slice(at, at + 5000) });
  await server.call('POST', '/api/v1/apply', { namespace: 'default', jobs: ticking });
  await server.kill();
  fillHistory(server, history);
  await server.start();
  await lists(browser, server);
  await paint(browser, server);
  await graph(browser, server);
  await pixel(browser, server);
  await beside(server);
} finally {
  await browser.close();
  await server.stop();
}
process.exit(missed > 0 ? 1 : 0);
