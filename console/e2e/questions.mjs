// Questions that people come with, and how few clicks answer them. Each returns what is wrong, or throws.
import { arrived, shown, signIn, violations, visit } from './browser.mjs';

/** From the dashboard, at most two clicks away: what runs, what fires next, why a job did not run, the line of the log that says so, and the run that repeats it. */
export async function twoClicksFromTheDashboard({ own, open }) {
  const server = await own();
  await server.job('ticks', { schedule: { cron: '* * * * * ?', misfire: 'do_nothing', misfire_threshold: '1s' }, noop: true });
  await server.job('yearly', { schedule: '0 3 1 6 *', noop: true });
  await server.job('closed', { schedule: '*/5 * * * *', noop: true });
  await server.call('POST', '/api/v1/namespaces/default/jobs/closed/pause', { reason: 'the disk is replaced' });
  await server.job('load', { run: 'echo begun; echo "error: no space left on /data" >&2; exit 1' });
  await server.job('long', { run: 'sleep 600' });
  const load = await server.run('load');
  await server.final(load);
  await server.until('the first tick', async () => (await server.call('GET', '/api/v1/namespaces/default/runs?job=ticks')).items.length > 0);
  const context = await open({}, {}, server);
  const page = await signIn(context, server);
  context.expectsFailures = true;
  await server.kill();
  const down = Date.now();
  await server.until('four ticks to be missed', () => Date.now() - down > 4000);
  await server.start(new URL(server.url).host);
  const long = await server.run('long');
  await server.until('the long run to start', async () => (await server.call('GET', `/api/v1/runs/${long}`)).state === 'running');
  await server.until('the misses to be counted', async () => (await server.call('GET', '/api/v1/dashboard?range=90d')).counters.missed > 0);

  const faults = [];
  /** Goes by clicks alone, and no further than two. */
  const go = async (...clicks) => {
    await visit(page, '/ns/default');
    if (clicks.length > 2) faults.push('more than two clicks');
    for (const [index, click] of clicks.entries()) {
      await click.click();
      if (index + 1 < clicks.length) await arrived(page, (url) => url.pathname !== '/ns/default');
      else await shown(page);
    }
  };
  const main = page.getByRole('main');
  const rail = (name) => page.getByRole('navigation').getByRole('link', { name, exact: true });

  // What runs now: at a glance, and all of it.
  await go();
  await main.getByRole('link', { name: 'long' }).first().waitFor();
  await go(main.getByRole('link', { name: /^Running \d/ }));
  await page.getByRole('row', { name: /running.*long|long.*running/ }).waitFor();
  // What fires next, however far that is.
  await go();
  await main.getByRole('link', { name: 'ticks' }).first().waitFor();
  await main.getByText('After that').waitFor();
  await main.getByRole('link', { name: 'yearly' }).waitFor();
  faults.push(...(await violations(page)));
  // Why a job did not run: nobody was there, or somebody paused it.
  await go(main.getByRole('link', { name: /^Missed \d/ }));
  await page.getByRole('row', { name: /ticks.*nobody was there to fire it in time/ }).first().waitFor();
  await page.getByText(/^Outage/).first().waitFor();
  await go(rail('Jobs'), main.getByRole('link', { name: 'ticks', exact: true }));
  await page.getByRole('heading', { name: 'Did not fire in the last 7 days' }).waitFor();
  await page.getByText('nobody was there to fire it in time').first().waitFor();
  faults.push(...(await violations(page)));
  await go(rail('Jobs'), main.getByRole('link', { name: 'closed', exact: true }));
  await page.getByText('the disk is replaced').first().waitFor();
  // The line of the log that says why it failed, and the run that repeats it.
  await go(page.getByRole('link', { name: 'Log: load' }));
  await page.getByRole('log').getByText('error: no space left on /data').waitFor();
  await go(page.getByRole('link', { name: 'Log: load' }), page.getByRole('button', { name: 'Run again', exact: true }));
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).waitFor();
  await page.keyboard.press('Escape');
  await go(page.getByRole('button', { name: 'Run again: load' }));
  await page.getByText('Started again').waitFor();
  await server.call('POST', '/api/v1/namespaces/default/jobs/ticks/pause', {});

  // What was missed, week by week.
  await visit(page, '/ns/default/misfires?job=ticks');
  await page.getByRole('img', { name: 'Missed fires by week' }).waitFor();
  await page.getByRole('button', { name: 'View as table' }).click();
  await page.getByRole('region', { name: 'Missed fires by week' }).getByRole('row').last().getByRole('cell', { name: /^[1-9]/ }).waitFor();
  await page.getByRole('button', { name: 'Only ticks' }).click();
  await arrived(page, (url) => !url.searchParams.has('job'));
  faults.push(...(await violations(page)));
  return faults;
}

/** A bar leads to its runs; lateness is shown by how many were how late; and months by hours show when a job fails. */
export async function readTheCharts({ server, seen, open }) {
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default');
  const runs = page.locator('figure').filter({ hasText: 'failed' }).first();
  await runs.getByRole('button', { name: 'View as table' }).click();
  const row = page.getByRole('region', { name: 'Runs by when they ended' }).getByRole('row').filter({ has: page.locator('td:nth-of-type(2)', { hasText: /^[1-9]/ }) }).last();
  const faults = [];
  // Rules look at targets beside each other only, and how many rows there are depends on the time.
  const { width, height } = await row.getByRole('button').boundingBox();
  if (Math.min(width, height) < 24) faults.push(`a row of the table opens by a target of ${width} × ${height} px`);
  await row.getByRole('button').click();
  await arrived(page, (url) => url.pathname.endsWith('/runs') && /^ended>=/.test(url.searchParams.get('q') ?? ''));
  await page.getByRole('row', { name: /failed/ }).first().waitFor();

  await visit(page, '/ns/default');
  await page.getByRole('button', { name: 'View how many were how late' }).click();
  await page.getByRole('img', { name: 'View how many were how late' }).waitFor();
  faults.push(...(await violations(page)));
  const spread = page.locator('figure').filter({ hasText: 'handlers entered' });
  await spread.getByRole('button', { name: 'View as table' }).click();
  await spread.getByRole('row').filter({ has: page.locator('td', { hasText: /^[1-9]/ }) }).first().waitFor();
  await page.getByRole('button', { name: 'View over time' }).click();
  await page.getByRole('img', { name: /^Lateness: max/ }).waitFor();

  await visit(page, '/ns/default/jobs/always-fails?tab=calendar');
  const hours = page.getByRole('table', { name: 'Hours of the day by month' });
  const failing = hours.getByRole('button', { name: /\d failed/ }).last();
  await failing.focus();
  // The last hour of a day has none after it.
  const keys = (await failing.getAttribute('data-at')).endsWith('-23') ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
  const isThere = () => failing.evaluate((cell) => cell === document.activeElement);
  await page.keyboard.press(keys[0]);
  if (await isThere()) faults.push('arrow keys do not leave the cell');
  await page.keyboard.press(keys[1]);
  if (!(await isThere())) faults.push('arrow keys do not come back to the cell');
  faults.push(...(await violations(page)));
  await page.getByRole('link', { name: 'Open the newest one that failed' }).click();
  await arrived(page, '**/runs/*');
  await page.getByRole('link', { name: 'always-fails' }).first().waitFor();
  if (!seen.failed) faults.push('there is no failed run');
  return faults;
}

/** A script is written in the form, with its language and arguments, and is shown as it was written. */
export async function writeScriptOfAJob({ server, open }) {
  const context = await open();
  // A script that is empty is none, and the server says so.
  context.expectsFailures = true;
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/new');
  await page.getByLabel('Name', { exact: true }).fill('sum-up');
  await page.getByRole('button', { name: 'Script', exact: true }).click();
  await page.getByText('the script is empty').first().waitFor();
  const faults = await violations(page);
  await page.getByLabel('Language', { exact: true }).selectOption({ label: 'Python' });
  await page.getByRole('textbox', { name: 'Script', exact: true }).click();
  await page.keyboard.type('import sys\nprint(sys.argv)');
  await page.getByLabel('Arguments', { exact: true }).fill('first\nand second');
  await page.getByText('Valid. It can be saved.').waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: 'Save paused' }).click();
  await arrived(page, '**/jobs/sum-up');
  const { spec } = await server.call('GET', '/api/v1/namespaces/default/jobs/sum-up');
  if (JSON.stringify(spec.script) !== '{"language":"python","source":"import sys\\nprint(sys.argv)","args":["first","and second"]}') faults.push(`the script is ${JSON.stringify(spec.script)}`);
  await page.getByText('Python · first and second').waitFor();
  await page.getByText('print(sys.argv)').waitFor();
  return faults;
}

/** A run is repeated with another input: the form begins with that of the run, and keeps every digit. */
export async function runWithChanges({ server, open }) {
  await server.job('charge', { noop: true, input: { keep: 12345678901 }, params: { customer: { default: 'ann' }, id: { type: 'integer', required: true } } });
  const text = await server.text('/api/v1/namespaces/default/jobs/charge/run', 'POST', { params: { customer: 'bob', id: 9007199254740 } });
  const first = JSON.parse(text).id;
  await server.final(first);
  const page = await signIn(await open(), server);
  await visit(page, `/ns/default/runs/${first}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run with changes…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run with changes…' });
  const customer = dialog.getByLabel('customer', { exact: true });
  if ((await customer.inputValue()) !== 'bob') return ['the form does not begin with the input of the run'];
  const faults = await violations(page);
  await customer.fill('cleo');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await arrived(page, (url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(first));
  const { input } = await server.call('GET', `/api/v1/runs/${page.url().split('/').at(-1)}`);
  if (JSON.stringify(Object.entries(input).sort()) !== '[["customer","cleo"],["id",9007199254740],["keep",12345678901]]') faults.push(`the input is ${JSON.stringify(input)}`);
  return faults;
}

/** A queue says why its runs wait, who has paused it, and which run leaves first. */
export async function whyAQueueWaits({ server, open }) {
  await server.job('render', { run: 'true', queue: 'render-farm' });
  await server.call('POST', '/api/v1/queues/render-farm/pause', { reason: 'the farm moves' });
  const run = await server.run('render');
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/queues');
  await page.getByRole('row', { name: /^render-farm/ }).getByText('paused').click();
  await arrived(page, '**/queues/render-farm');
  await page.getByText('the queue render-farm is paused').waitFor();
  await page.getByRole('definition').filter({ hasText: 'the farm moves' }).waitFor();
  const faults = await violations(page);
  await page.getByRole('table', { name: 'Leaves first' }).getByRole('link', { name: 'render', exact: true }).click();
  await arrived(page, `**/runs/${run}`);
  // What named a queue before it had a page.
  await page.goto(`${server.url}/ns/default/queues?queue=render-farm`);
  await arrived(page, '**/queues/render-farm');
  await page.getByRole('heading', { name: 'render-farm' }).waitFor();
  return faults;
}

/** One trigger of two is paused with a reason and resumed; what a job keeps between its runs is shown, set with every digit and cleared. */
export async function steerTriggerAndData({ server, open }) {
  await server.job('feed', { noop: true, keep_data: true, schedule: [{ cron: '0 0 1 1 *', name: 'new-year' }, { cron: '0 0 1 7 *', name: 'summer' }] });
  const triggers = async () => (await server.call('GET', '/api/v1/namespaces/default/triggers?job=feed')).items.filter(({ paused }) => paused).map(({ name }) => name).join();
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs/feed?tab=schedule');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Pause: summer' }).click();
  await dialog.getByLabel('Reason').fill('the pool is closed');
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused: the pool is closed').waitFor();
  if ((await triggers()) !== 'summer') return [`${await triggers()} is paused`];
  const faults = await violations(page);
  await page.getByRole('button', { name: 'Resume: summer' }).click();
  await page.getByText('Resumed.').waitFor();
  if ((await triggers()) !== '') faults.push('the trigger stays paused');

  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByText('No run has left any yet.').waitFor();
  await page.getByRole('button', { name: 'Set…' }).click();
  await dialog.getByLabel('Data, as JSON').fill('[1]');
  await dialog.getByText('This is no JSON object.').waitFor();
  await dialog.getByLabel('Data, as JSON').fill('{"id": 12345678901234567890}');
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('12345678901234567890').waitFor();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('Cleared.').waitFor();
  await page.getByText('12345678901234567890').waitFor({ state: 'detached' });
  return faults;
}
