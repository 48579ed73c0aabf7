// What people come for, from end to end. Each returns what is wrong, or throws.
import { readFileSync } from 'node:fs';
import { arrived, paste, settled, signIn, violations, visit } from './browser.mjs';

/** A new job is written as YAML, fires before one's eyes, fails; its log opens at the error, and it is run again. */
export async function writeWatchReadRerun({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/new?mode=yaml');
  const editor = page.locator('.cm-content');
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  // Half a schedule is none, and the server says so.
  context.expectsFailures = true;
  await page.keyboard.type('name: pulse\nschedule: {every: 1s}\nrun: seq 400; echo "fatal error, no pulse" >&2; exit 7\n');
  await page.getByText('Valid. It can be saved.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await arrived(page, '**/jobs/pulse');
  await page.getByRole('heading', { name: 'pulse' }).waitFor();
  await page.locator('main a[href*="/runs/"]').first().click();
  await arrived(page, '**/runs/*');
  await page.getByText('process.exit: the process exited with code 7').waitFor();
  const error = page.getByRole('log').getByText('fatal error, no pulse');
  await error.waitFor();
  if (!(await error.isVisible())) return ['the log does not show the error'];
  await server.call('POST', '/api/v1/namespaces/default/jobs/pulse/pause', {});
  const first = page.url();
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
  await arrived(page, (url) => url.href !== first && url.pathname.includes('/runs/'));
  await page.getByText('process.exit: the process exited with code 7').waitFor();
}

/** The form writes schedules with parts, input with every digit, and parameters. */
export async function formWritesTheFile({ server, open }) {
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs/new');
  await page.getByLabel('Name', { exact: true }).fill('formed');
  await page.getByLabel('Kind of schedule').selectOption('daily_window');
  await page.getByLabel('Every', { exact: true }).fill('20m');
  await page.getByRole('button', { name: 'Sun' }).click();
  await page.getByText('Jitter, zone, bounds').click();
  await page.getByLabel('Spread by up to').fill('30s');
  await page.getByLabel('Input', { exact: true }).fill('{"id": 9007199254740993}');
  await page.getByRole('button', { name: 'Add a parameter' }).click();
  await page.getByLabel('Parameters: key').fill('day');
  await page.getByLabel('Parameters: day default').fill('today');
  await page.getByText('Valid. It can be saved.').waitFor();
  await page.getByRole('button', { name: 'Save paused' }).click();
  await arrived(page, '**/jobs/formed');
  const { spec, paused } = await server.call('GET', '/api/v1/namespaces/default/jobs/formed');
  const [trigger] = [spec.schedule ?? spec.triggers].flat();
  const file = await server.text('/api/v1/namespaces/default/jobs/formed/file');
  if (!paused || trigger.daily_window?.every !== '20m' || trigger.daily_window.days?.length !== 6 || trigger.jitter !== '30s') return [`the trigger is ${JSON.stringify(trigger)}`];
  if (!file.includes('9007199254740993') || spec.params?.day?.default !== 'today') return [`the file is ${file}`];
}

/** A workflow that is being written is drawn: keys move in it, a part of it is shown, and the list has the same. */
export async function drawWorkflow({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/new?mode=yaml');
  // Whether this server runs workflows is for others to say.
  context.expectsFailures = true;
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await paste(page, 'name: etl\ntasks: {extract: {run: x}, clean: {run: x, needs: extract, matrix: {n: [1, 2]}}, load: {run: "load it", needs: [clean], if: "${{ true }}"}, report: {noop: true, needs: [load, extract]}}\n');
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  const task = (name) => page.getByRole('button', { name: new RegExp(`^${name}`) }).and(page.locator('g'));
  await task('extract').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Task load' });
  await panel.getByText('${{ true }}').waitFor();
  await panel.getByRole('button', { name: 'clean' }).click();
  await page.getByRole('complementary', { name: 'Task clean' }).getByText('2 runs').waitFor();
  await page.getByLabel('Show the tasks around').fill('+load');
  await page.getByText('3 of 4 tasks').waitFor();
  if (await task('report').isVisible()) return ['a task that is not asked for is drawn'];
  await page.getByRole('button', { name: 'List', exact: true }).click();
  if ((await page.locator('tbody tr').count()) !== 3) return ['the list has other tasks'];
  const faults = await violations(page);
  await page.getByRole('button', { name: 'Graph', exact: true }).last().click();
  await task('extract').waitFor();
  return [...faults, ...(await violations(page))];
}

/** The tasks of a running workflow change before one's eyes; one is cancelled, and the log of one that failed is one click away. */
export async function watchWorkflow({ server, open }) {
  await server.job('flow', {
    tasks: {
      first: { run: 'echo "the dam broke" >&2; exit 4' },
      then: { needs: 'first', noop: true },
      slow: { run: 'sleep 600' },
      after: { needs: 'slow', noop: true },
      each: { matrix: { n: [1, 2, 3] }, noop: true },
      gate: { approval: { prompt: 'open the gate?' } },
      past: { needs: 'gate', noop: true },
    },
  });
  const run = await server.run('flow');
  const page = await signIn(await open(), server);
  await visit(page, `/ns/default/runs/${run}`);
  const task = (name) => page.getByRole('button', { name }).and(page.locator('g'));
  await task(/^then upstream failed/).waitFor();
  await task(/^each ×3 3\/3/).waitFor();
  await task(/^gate/).click();
  const gate = page.getByRole('complementary', { name: 'Task gate' });
  await gate.getByText('open the gate?').first().waitFor();
  await gate.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('looked at it');
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await task(/^past succeeded/).waitFor();
  await task(/^slow running/).click();
  const panel = page.getByRole('complementary', { name: 'Task slow' });
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
  await task(/^slow cancelled/).waitFor();
  await page.getByText('task first failed').waitFor();
  const faults = await violations(page);
  await page.getByRole('button', { name: 'Gantt' }).click();
  await page.getByRole('button', { name: /^first/ }).waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('link', { name: 'Open the failing log' }).first().click();
  await page.getByRole('log').getByText('the dam broke').waitFor();
  await page.getByRole('link', { name: 'first', exact: true }).click();
  await page.getByRole('complementary', { name: 'Task first' }).waitFor();

  await visit(page, '/ns/default/jobs/flow?tab=tasks&view=grid');
  await page.getByRole('gridcell', { name: /^then, .*: upstream failed/ }).focus();
  await page.keyboard.press('ArrowUp');
  faults.push(...(await violations(page)));
  await page.keyboard.press('Enter');
  await arrived(page, `**/runs/${run}?task=*`);
  return faults;
}

/** What waits for a decision stands in one inbox, with its number in the menu: one is approved under a name, one is rejected with a reason. */
export async function decideInTheInbox({ server, open }) {
  await server.job('release', {
    params: { what: { default: 'web' } },
    tasks: { ask: { approval: { prompt: 'Deploy ${{ params.what }} to production?', from: ['ann', 'bob'], timeout: '2h' } }, deploy: { needs: 'ask', noop: true } },
  });
  await server.job('payment', { tasks: { pay: { approval: { prompt: 'Pay the bill?' } } } });
  const [release, payment] = [await server.run('release'), await server.run('payment')];
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/approvals');
  await page.getByText('Deploy web to production?').waitFor();
  await page.getByText('Pay the bill?').waitFor();
  const faults = await violations(page);
  await page.getByRole('button', { name: 'Approve: release ask' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Deploy web to production?').waitFor();
  await dialog.getByLabel('Decide as').selectOption('bob');
  await dialog.getByLabel('Reason').fill('tests are green');
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Approved.').waitFor();
  await page.getByTitle('Deploy web to production?').waitFor({ state: 'detached' });
  await server.final(release);
  const { task } = await server.call('GET', `/api/v1/runs/${release}/tasks/ask`);
  if (task.reason !== 'approved by bob: tests are green') faults.push(`the task says ${task.reason}`);
  await page.getByLabel('Find by text, job or task').fill('nothing such');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'Reject: payment pay' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Reason').fill('paid twice');
  await page.keyboard.press('Enter');
  await page.getByTitle('Pay the bill?').waitFor({ state: 'detached' });
  if ((await server.final(payment)) !== 'failed') faults.push('the rejected run did not fail');
  return faults;
}

/** Fire times of the past are planned and run; a plan that no longer holds starts nothing, and shows what is different; a day of the calendar leads there. */
export async function backfillDays({ server, open }) {
  await server.job('daily-sum', { schedule: '0 2 * * *', timezone: 'UTC', noop: true });
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/backfills/new');
  await page.getByLabel('Job', { exact: true }).fill('daily-sum');
  await page.getByLabel('From', { exact: true }).fill('2026-10-01');
  await page.getByLabel('To', { exact: true }).fill('2026-10-05');
  await page.getByText('5 fire times: 5 run for the first time').waitFor();
  const faults = await violations(page);
  await page.getByRole('button', { name: 'Start 5 runs' }).click();
  await arrived(page, /backfills\/[^n]/);
  await page.getByText('5 of 5').waitFor();
  await page.getByText('completed').first().waitFor();
  await page.locator('tbody tr').nth(4).waitFor();
  if ((await page.locator('tbody tr').count()) !== 5) faults.push('not each fire time is listed');
  faults.push(...(await violations(page)));

  // Somebody else is faster.
  await visit(page, '/ns/default/backfills/new?job=daily-sum&from=2026-10-04&to=2026-10-08');
  await page.getByText('3 run for the first time').waitFor();
  await server.call('POST', '/api/v1/namespaces/default/jobs/daily-sum/backfills', { from: '2026-10-06', to: '2026-10-06' });
  await server.until('the other backfill', async () => (await server.call('GET', '/api/v1/namespaces/default/backfills')).items[0].state === 'completed');
  context.expectsFailures = true;
  await page.getByRole('button', { name: 'Start 3 runs' }).click();
  await page.getByText('The plan no longer holds, and nothing was started. 1 fire times differ').waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: 'Start 2 runs' }).click();
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('link', { name: 'Backfills' }).last().click();
  await page.getByRole('row', { name: /daily-sum/ }).nth(2).waitFor();

  await visit(page, '/ns/default/jobs/daily-sum?tab=calendar');
  await page.locator('[data-today]').focus();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('button', { name: 'Backfill this day' }).click();
  await arrived(page, /backfills\/new.*from=/);
  await page.getByRole('heading', { name: 'Plan' }).waitFor();
  return faults;
}

/** A flow is written, checked and started; a queue fills before a component that was stopped by its menu, its items are looked at, sent back and dropped, and the file is changed while it runs. */
export async function steerFlow({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/new');
  const atFirst = await violations(page);
  await page.getByRole('link', { name: 'Flow', exact: true }).click();
  await arrived(page, '**/flows/new');
  const editor = page.locator('.cm-content');
  const write = async (text) => {
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    await paste(page, text);
  };
  const file = (max) => `flow: mill
description: grinds
components:
  grain: {generate: {payload: '{"sort": "rye"}', attributes: {kind: rye}}, schedule: 50 ms}
  stones: {funnel: true, event: true}
  flour: {log: {message: "\${{ attributes.kind }}"}, event: true, end: success}
connections:
  - {from: grain, to: stones}
  - {from: stones, to: flour, max_items: ${max}}
`;
  // A key that is not one is refused, and the server says so.
  context.expectsFailures = true;
  await write('flow: mill\ncomponents: {grain: {funnel: true, evnt: true}}\n');
  await page.getByText('evnt').last().waitFor();
  await write(file(5));
  await page.getByText('Valid. It can be saved.').waitFor();
  context.expectsFailures = false;
  const faults = [...atFirst, ...(await violations(page))];
  await page.getByRole('button', { name: 'Save and start' }).click();
  await arrived(page, '**/flows/mill');
  const node = (name) => page.getByRole('button', { name }).and(page.locator('g'));
  await node(/^flour/).waitFor();

  // By the menu that a right click opens, and by the key for it.
  await node(/^flour/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Stop', exact: true }).click();
  await node(/^flour.*stopped/).waitFor();
  await node(/5 · .*stones → flour/).waitFor();
  await node(/^stones.*is full/).waitFor();
  await node(/^grain/).focus();
  await page.keyboard.press('m');
  await page.getByRole('menuitem', { name: 'Stop', exact: true }).focus();
  await page.keyboard.press('Enter');
  await node(/^grain.*stopped/).waitFor();
  faults.push(...(await violations(page)));
  // A minute is over only when the test is: the charts are given three that are.
  const minute = (ago, items) => ({
    at: new Date(Math.floor(Date.now() / 60_000 - ago) * 60_000).toISOString(),
    components: { grain: { items_in: 0, bytes_in: 0, items_out: items, bytes_out: items, tasks: items, task_ms: 1 } },
    queues: { 'grain:stones': { items: items / 10, bytes: items } },
  });
  const asked = [];
  await page.route('**/flows/mill/history?**', (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('of'));
    return route.fulfill({ json: [minute(90, 1200), minute(60, 400), minute(1, 800)] });
  });
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'grain' });
  await panel.getByText('every 50 ms').waitFor();
  await panel.getByRole('img', { name: /^Out, a minute: .* 1,200 at most$/ }).waitFor();
  await panel.getByRole('button', { name: /^stones/ }).click();
  const queue = page.getByRole('complementary', { name: 'grain:stones' });
  await queue.getByRole('img', { name: /^Items: .* 120 at most$/ }).waitFor();
  if (String([...new Set(asked)]) !== 'grain,grain:stones') faults.push(`histories of ${asked} were asked for`);
  faults.push(...(await violations(page)));

  await visit(page, '/ns/default/flows/mill?queue=stones:flour');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row').nth(1).click();
  await dialog.getByText('"rye"').waitFor();
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Drop', exact: true }).click();
  await page.getByRole('dialog').last().getByRole('button', { name: 'Drop' }).click();
  await page.getByText('Dropped 1 item.').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'List', exact: true }).click();
  await page.getByRole('row', { name: /stones → flour/ }).waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: 'File', exact: true }).click();
  await page.getByText('Valid. It can be saved.').waitFor();
  await write(file(50));
  await page.getByText('Valid. It can be saved.').waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: 'Review and save' }).click();
  await dialog.getByRole('button', { name: 'Stop, save, start again' }).click();
  await page.getByText(/^Saved as version/).waitFor();
  const { spec, components } = await server.call('GET', '/api/v1/namespaces/default/flows/mill');
  if (spec.connections[1].max_items !== 50) faults.push(`the flow is ${JSON.stringify(spec)}`);
  if (components.find(({ name }) => name === 'stones').state !== 'running') faults.push('what ran before does not run');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped.').first().waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByLabel('Type mill to confirm').fill('mill');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await arrived(page, '**/flows');
  return faults;
}

/** An app for executors of XXL-JOB is made, its token shown once; an executor that registers is seen, a job for it is written in the form, and the token is replaced. */
export async function connectXxlExecutors({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/xxl');
  await page.getByRole('button', { name: 'New app' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('App', { exact: true }).fill('billing-app');
  await dialog.getByLabel('Title').fill('Bills');
  const faults = await violations(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const settings = dialog.locator('pre');
  await settings.waitFor();
  const token = (await settings.textContent()).match(/accessToken=(\S+)/)[1];
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('row', { name: /billing-app/ }).click();
  await page.getByText('No executor has registered').first().waitFor();
  await fetch(`${server.url}/xxl-job-admin/api/registry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'xxl-job-access-token': token },
    body: JSON.stringify({ registryGroup: 'EXECUTOR', registryKey: 'billing-app', registryValue: 'http://127.0.0.1:9/' }),
  });
  await page.getByRole('row', { name: /127\.0\.0\.1:9.*alive/ }).waitFor();
  await page.getByRole('row', { name: /billing-app Bills 1 of 1 alive/ }).waitFor();
  faults.push(...(await violations(page)));

  await visit(page, '/ns/default/jobs/new');
  // An app without a handler is no job yet, and the server says so if it is asked between the two.
  context.expectsFailures = true;
  await page.getByLabel('Name', { exact: true }).fill('bill-job');
  await page.getByRole('button', { name: 'XXL-JOB', exact: true }).click();
  await page.getByLabel('App', { exact: true }).fill('billing-app');
  await page.getByLabel('Job handler').fill('billHandler');
  await page.getByLabel('Parameter', { exact: true }).fill('month=11');
  await page.getByLabel('While one is executed').selectOption('discard_later');
  await page.getByLabel('Worker', { exact: true }).selectOption('failover');
  await page.getByText('Valid. It can be saved.').waitFor();
  await page.getByRole('button', { name: 'Save paused' }).click();
  await arrived(page, '**/jobs/bill-job');
  const { spec } = await server.call('GET', '/api/v1/namespaces/default/jobs/bill-job');
  const { app, handler, params, block } = spec.xxl ?? {};
  if ([app, handler, params, block, spec.routing].join() !== 'billing-app,billHandler,month=11,discard_later,failover') faults.push(`the job is ${JSON.stringify(spec)}`);

  await visit(page, '/xxl?tab=moved');
  await page.getByRole('row', { name: /GLUE IDE/ }).waitFor();
  await page.getByRole('tab', { name: 'Apps' }).click();
  await page.getByRole('button', { name: 'More actions: billing-app' }).click();
  await page.getByRole('menuitem', { name: 'Replace the token' }).click();
  await dialog.getByLabel('End the one before at once').check();
  await dialog.getByRole('button', { name: 'Replace the token' }).click();
  const newer = (await settings.textContent()).match(/accessToken=(\S+)/)[1];
  if (newer === token) faults.push('the token stays');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'More actions: billing-app' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByLabel('Type billing-app to confirm').fill('billing-app');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted.').waitFor();
  await page.getByRole('row', { name: /billing-app/ }).first().waitFor({ state: 'detached' });
  return faults;
}

/** The report of an import is dropped on the page: what was refused comes first, what many have in common is one press away, and nothing is sent. */
export async function readImportReport({ server, open }) {
  await server.job('2-nightly', { noop: true });
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/xxl?tab=report');
  const faults = await violations(page);
  await page.getByLabel('Or paste it').fill('{"items": 4}');
  await page.getByText('This is JSON, but no report of an import.').waitFor();
  const note = 'its author is not kept: there are no users yet';
  const items = Array.from({ length: 240 }, (_, index) => ({ kind: 'job', id: index + 10, name: `job <b>${index}</b>`, outcome: 'exact', becomes: `job ${index + 10}-job: handler h of app demo` }));
  const report = {
    release: '3.4',
    items: [{ kind: 'app', id: 1, name: 'demo', outcome: 'exact', becomes: 'app demo' }, ...items, { kind: 'job', id: 2, name: 'nightly', outcome: 'changed', becomes: 'job 2-nightly: handler nightly of app demo', notes: [note, 'retries wait'] }, { kind: 'job', id: 3, name: 'never', outcome: 'refused', notes: ['the expression never fires (schedule.never)', note] }],
    files: ['jobs/demo.yaml'],
  };
  const sent = [];
  page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()));
  await page.locator('input[type="file"]').setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(report)) });
  await page.getByText('Tables of XXL-JOB 3.4: 243 items. 1 job file was written.').waitFor();
  const rows = page.locator('main tbody tr');
  if (!(await rows.first().innerText()).includes('never')) faults.push('what was refused does not come first');
  if ((await rows.count()) !== 200) faults.push(`${await rows.count()} rows are drawn at first`);
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: note }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /nightly.*changed/ }).waitFor();
  if ((await rows.count()) !== 2) faults.push('other items have that note');
  await page.getByRole('link', { name: /^job 2-nightly/ }).click();
  await arrived(page, '**/jobs/2-nightly');
  await page.goBack();
  await page.getByRole('row', { name: /nightly.*changed/ }).waitFor();
  if (sent.length > 0) faults.push(`sent to ${sent.join(', ')}`);
  return faults;
}

/** The script of an executor's job is changed, compared and saved with a remark; what is written stays while a version is looked at, and an old version runs again. */
export async function writeScript({ server, open }) {
  await server.call('POST', '/api/v1/xxl/apps', { name: 'scripts', glue: true });
  const spec = { xxl: { app: 'scripts', glue: { language: 'shell', source: '#!/bin/bash\r\necho first\r\n', remark: 'begun' } } };
  await server.job('sums', spec);
  const source = async () => (await server.call('GET', '/api/v1/namespaces/default/jobs/sums')).spec.xxl.glue.source;
  const context = await open();
  // Saves that somebody else was faster with are refused.
  context.expectsFailures = true;
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/sums?tab=script');
  const version = (number) => page.getByRole('list', { name: 'Versions of the script' }).getByRole('button', { name: new RegExp(`^Version ${number}`) });
  await version(1).waitFor();
  // Lines that end as in Windows are no change.
  await page.getByText('Runs that begin are sent this script.').waitFor();
  const faults = await violations(page);
  const write = async (text) => {
    await page.getByRole('textbox', { name: 'Script', exact: true }).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(text);
  };
  await write('echo second');
  await page.getByText('What you have written is not saved.').waitFor();
  // What others change of the job is in nobody's way.
  await server.job('sums', { ...spec, description: 'adds up' });
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Remark').fill('says it twice');
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved as version 2.').waitFor();
  if ((await source()) !== '#!/bin/bash\r\necho first\r\necho second') faults.push('what was written is not what runs');

  await version(1).click();
  await page.getByRole('heading', { name: 'Version 1 against the script that runs now' }).waitFor();
  await page.locator('.cm-mergeView').waitFor();
  faults.push(...(await violations(page)));
  await page.getByRole('button', { name: 'Roll back' }).click();
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Version 1 runs again, as version 3.').waitFor();
  await page.getByText('Runs that begin are sent this script.').waitFor();
  if ((await source()).includes('echo second')) faults.push('the old script does not run again');

  await write('echo mine');
  await page.getByText('What you have written is not saved.').waitFor();
  await server.call('POST', '/api/v1/namespaces/default/jobs/sums/glue', { source: 'echo theirs', language: 'shell' });
  await page.getByRole('button', { name: 'Review and save' }).click();
  await dialog.getByLabel('Remark').fill('mine, too');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const both = page.getByRole('dialog', { name: 'Somebody saved this script meanwhile' });
  await both.getByText('echo theirs').waitFor();
  faults.push(...(await violations(page)));
  if ((await source()) !== 'echo theirs') faults.push('what others saved is replaced unasked');
  await both.getByRole('button', { name: 'Replace theirs' }).click();
  await page.getByText('Saved as version 5.').waitFor();
  if (!(await source()).includes('echo mine')) faults.push('what was to replace others is not what runs');
  return faults;
}

/** From the dashboard, the line that failed is one click away, and the run is started again from there. */
export async function findTheErrorAndRerun({ server, seen, open }) {
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default');
  await page.getByRole('link', { name: /Log: always-fails/ }).click();
  await arrived(page, `**/runs/${seen.failed}**`);
  await page.getByText('relation "orders" does not exist').first().waitFor();
  // What a job prints is text, whatever it looks like.
  await page.getByText('<script>alert(1)</script>').first().waitFor();
  await page.getByRole('button', { name: 'Fold', exact: true }).click();
  await page.getByText('… 3 lines').waitFor();
  if (await page.getByText('b.py').isVisible()) return ['a folded line is shown'];
  await page.getByRole('button', { name: /^Line \d and the 3 lines/ }).click();
  await page.getByText('b.py').waitFor();
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  const yes = page.getByRole('dialog').getByRole('button', { name: 'Run again' });
  await yes.or(page.getByText('A new run has started.')).first().waitFor();
  if (await yes.isVisible()) await yes.click();
  await page.getByText('A new run has started.').waitFor();
}

/** 500 jobs are found, paused as one operation, and the pause is taken back: those that rested before go on resting. */
export async function pauseManyAndUndo({ server, open }) {
  const jobs = Array.from({ length: 500 }, (_, n) => ({ name: `bulk-${n}`, schedule: '0 0 1 1 *', noop: true, paused: n === 0, labels: n < 3 ? { tier: 'gold' } : {} }));
  await server.call('POST', '/api/v1/apply', { namespace: 'default', jobs });
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs?q=bulk-');
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByText('500 jobs selected').waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('a drill');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused 499 jobs').waitFor();
  const paused = async () => (await server.call('GET', '/api/v1/namespaces/default/jobs?name=bulk-&paused=true&limit=1000')).items;
  if ((await paused()).length !== 500) return ['not all are paused'];
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Resumed 499 jobs').waitFor();
  const left = await paused();
  if (left.length !== 1 || left[0].name !== 'bulk-0') return [`the pause was not taken back: ${left.length} are paused`];
  await visit(page, '/operations');
  await page.getByRole('row', { name: /Pause done/ }).first().click();
  await page.getByRole('dialog').getByText('a drill').waitFor();
  await visit(page, '/ns/default/jobs?q=bulk-');
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByText('500 jobs selected').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Type 500 to confirm').fill('500');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 500 jobs').waitFor();
}

/** From a run to the one of its job before it, and back. */
export async function runBeforeAndAfter({ server, open }) {
  await server.job('steps', { noop: true });
  const runs = [await server.run('steps'), await server.run('steps'), await server.run('steps')];
  for (const run of runs) await server.final(run);
  const page = await signIn(await open(), server);
  await visit(page, `/ns/default/runs/${runs[1]}`);
  await page.getByRole('button', { name: 'The run before, of this job' }).click();
  await arrived(page, `**/runs/${runs[0]}`);
  await page.getByRole('button', { name: 'The run after, of this job' }).click();
  await arrived(page, `**/runs/${runs[1]}`);
  await page.getByRole('button', { name: 'The run after, of this job' }).click();
  await arrived(page, `**/runs/${runs[2]}`);
  await page.getByRole('button', { name: 'The run after, of this job' }).click();
  await page.getByText('There is no other run that way.').waitFor();
}

/** Jobs get labels together, and are saved as job files that can be applied again. */
export async function labelAndExport({ server, open }) {
  for (let n = 0; n < 3; n += 1) await server.job(`kit-${n}`, { noop: true, labels: { old: 'yes' }, input: { id: 0 } });
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs?q=kit-');
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await page.getByRole('button', { name: 'Label', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Labels').fill('tier=gold -old');
  await page.getByRole('dialog').getByRole('button', { name: 'Label' }).click();
  await page.getByText('Labelled 3 jobs').waitFor();
  const { spec } = await server.call('GET', '/api/v1/namespaces/default/jobs/kit-1');
  if (JSON.stringify(spec.labels) !== '{"tier":"gold"}') return [`labels are ${JSON.stringify(spec.labels)}`];
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  const saved = page.waitForEvent('download');
  await page.getByRole('group').getByRole('button', { name: 'Export' }).first().click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  if (!text.startsWith('namespace: default\njobs:\n') || text.match(/name: kit-/g)?.length !== 3) return [`the file is ${text.slice(0, 200)}`];
}

/** A search is saved under a name, opened by an address that names it alone, and deleted. */
export async function savedView({ server, open }) {
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs?q=label:team=billing&cols=name,queue');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('帳單 & billing');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the view').waitFor();
  await page.goto(`${server.url}/ns/default/jobs?view=${encodeURIComponent('帳單 & billing')}`);
  await arrived(page, (url) => url.searchParams.get('q') === 'label:team=billing' && url.searchParams.get('cols') === 'name,queue');
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  await page.getByRole('button', { name: '帳單 & billing' }).click();
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted the view').waitFor();
  if ((await server.call('GET', '/api/v1/views')).length !== 0) return ['the view is still there'];
}

/** An address brings back what was seen, loaded anew. */
export async function reloadRestores({ server, open }) {
  const page = await signIn(await open(), server);
  await page.goto(`${server.url}/ns/default/jobs?q=label:team=billing&cols=name,queue`);
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  if ((await page.locator('tbody tr').count()) !== 1) return ['the query is not in force'];
  const heads = await page.locator('thead th').allInnerTexts();
  if (heads.filter(Boolean).join() !== 'Name,Queue') return [`columns are ${heads.join()}`];
  await page.reload();
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  if ((await page.getByRole('combobox').inputValue()) !== 'label:team=billing') return ['the query is not in the field'];
}

/** A sign-in that ends while something is written loses nothing. */
export async function draftSurvives({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs/nightly-report/edit');
  await page.getByLabel('Description').fill('written while signed in');
  await page.getByText('Valid. It can be saved.').waitFor();
  context.expectsFailures = true;
  await context.clearCookies();
  await page.getByLabel('Description').fill('written after it ended');
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.getByLabel('Access token').fill(server.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor({ state: 'hidden' });
  if ((await page.getByLabel('Description').inputValue()) !== 'written after it ended') return ['the form lost its text'];
  await page.reload();
  await page.getByRole('button', { name: 'Go on with it' }).click();
  if ((await page.getByLabel('Description').inputValue()) !== 'written after it ended') return ['the draft is gone'];
}

/** Two people change one job: the second sees both versions. */
export async function twoPeopleEdit({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await server.job('shared', { noop: true, description: 'first' });
  await visit(page, '/ns/default/jobs/shared/edit');
  await page.getByLabel('Description').fill('mine');
  await server.job('shared', { noop: true, description: 'theirs' });
  await page.getByText('Valid. It can be saved.').waitFor();
  context.expectsFailures = true;
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Somebody saved this job meanwhile' }).waitFor();
  await page.getByRole('button', { name: 'Replace theirs' }).click();
  await arrived(page, '**/jobs/shared');
  const { spec } = await server.call('GET', '/api/v1/namespaces/default/jobs/shared');
  if (spec.description !== 'mine') return [`the description is ${spec.description}`];
}

/** Browsers open six connections to a server: eight tabs must not use them up. */
export async function eightTabs({ server, open }) {
  const context = await open();
  const first = await signIn(context, server);
  const tabs = [first];
  while (tabs.length < 8) {
    const tab = await context.newPage();
    await tab.goto(`${server.url}/ns/default/jobs`);
    await settled(tab);
    tabs.push(tab);
  }
  for (const tab of tabs) {
    await visit(tab, '/ns/default/runs');
    await visit(tab, '/ns/default/queues');
  }
}

/** The server goes and comes back: the page says so, keeps what it showed, goes on, and lists what was missed. */
export async function serverLostAndBack({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await server.job('ticks', { schedule: { cron: '* * * * * ?', misfire: 'do_nothing', misfire_threshold: '1s' }, noop: true });
  await server.until('the first tick', async () => (await server.call('GET', '/api/v1/namespaces/default/runs?job=ticks')).items.length > 0);
  await visit(page, '/ns/default/jobs');
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  context.expectsFailures = true;
  const listen = new URL(server.url).host;
  await server.kill();
  await page.getByRole('button', { name: /Reconnecting|Every 5 s|Stale/ }).waitFor();
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  const down = Date.now();
  await server.until('four ticks to be missed', () => Date.now() - down > 4000);
  await server.start(listen);
  await server.job('made-meanwhile', { noop: true });
  await page.getByRole('link', { name: 'made-meanwhile' }).waitFor({ timeout: 40_000 });
  await visit(page, '/ns/default/misfires');
  await page.getByRole('link', { name: 'ticks' }).first().waitFor();
  await server.call('POST', '/api/v1/namespaces/default/jobs/ticks/pause', {});
}

/** A pause of live data is one: not one request goes out. */
export async function pauseReallyPauses({ server, open }) {
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/runs');
  await page.getByRole('button', { name: /Pause live updates/ }).click();
  await page.getByRole('button', { name: /Resume live updates/ }).waitFor();
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const run = await server.run('big-numbers');
  await server.final(run);
  await page.evaluate(() => {
    window.dispatchEvent(new Event('focus'));
    document.dispatchEvent(new Event('visibilitychange'));
  });
  if (asked.length > 0) return [`asked while paused: ${asked.join(' ')}`];
  await page.getByRole('button', { name: /Resume live updates/ }).click();
  // New rows wait behind a button: none moves under the reader.
  await page.getByRole('button', { name: /new run/ }).click();
  await page.locator(`a[href*="${run}"]`).first().waitFor();
}
