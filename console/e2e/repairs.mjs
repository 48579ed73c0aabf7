// What people do when a job has gone wrong, from end to end. Each returns what is wrong, or throws.
import { createServer } from 'node:http';
import { arrived, signIn, violations, visit } from './browser.mjs';

/** What failed in a workflow run runs again, after a look at the plan; a task and what needs it, chosen in the graph; and a plan that no longer holds does nothing. */
export async function runPartOfWorkflowAgain({ server, open }) {
  const tasks = (say) => ({ tasks: { extract: { run: 'true' }, load: { needs: 'extract', run: 'exit 1' }, report: { needs: 'load', run: `echo ${say}` }, notes: { run: 'true' } } });
  await server.job('repair', tasks('first'));
  const run = await server.run('repair');
  await server.final(run);
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, `/ns/default/runs/${run}`);
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 to run again, 2 kept.').waitFor();
  if (!(await dialog.getByRole('radio', { name: 'what failed' }).isChecked())) return ['what failed is not chosen first'];
  const mark = (name) => dialog.getByRole('button', { name }).and(page.locator('g'));
  await mark(/^load runs again/).waitFor();
  await mark(/^extract kept/).waitFor();
  const faults = await violations(page);
  await dialog.getByRole('button', { name: 'Run 2 tasks again' }).click();
  await arrived(page, (url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(run));
  const again = page.url().split('/').at(-1).replace(/\?.*/, '');
  await server.final(again);
  const { rerun_of: origin } = await server.call('GET', `/api/v1/runs/${again}`);
  if (origin !== run) faults.push(`the new run repeats ${origin}`);

  // From a task, and by the newest version, which somebody changes meanwhile.
  await visit(page, `/ns/default/runs/${run}?task=load`);
  const panel = page.getByRole('complementary', { name: 'Task load' });
  await panel.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run again from here' }).click();
  await dialog.getByText('2 to run again, 2 kept.').waitFor();
  await dialog.getByText('It has been run again already').waitFor();
  await mark(/^notes/).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('3 to run again, 1 kept.').waitFor();
  await dialog.getByLabel('Version of the workflow').selectOption('latest');
  await dialog.getByRole('button', { name: 'Run 3 tasks again' }).and(page.locator(':enabled')).waitFor();
  await server.job('repair', { tasks: { ...tasks('second').tasks, load: { needs: 'extract', run: 'true' }, archive: { needs: 'report', noop: true } } });
  context.expectsFailures = true;
  await dialog.getByRole('button', { name: 'Run 3 tasks again' }).click();
  await dialog.getByText('The plan no longer holds, and nothing was done.').waitFor();
  await dialog.getByRole('row', { name: /archive.*runs again/ }).waitFor();
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Run 4 tasks again' }).click();
  await arrived(page, (url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(run));
  const last = page.url().split('/').at(-1).replace(/\?.*/, '');
  if ((await server.final(last)) !== 'succeeded') faults.push('the run of the newest version did not succeed');
  return faults;
}

/** In the grid of a workflow, a rectangle is drawn by the mouse, by keys and by two presses: its tasks run again in each run as the plan says, those that are not over are marked, its dates are backfilled. */
export async function actOnARectangle({ server, open }) {
  await server.job('grid', { schedule: '0 2 * * *', timezone: 'UTC', tasks: { first: { noop: true }, second: { needs: 'first', run: 'exit 1' }, third: { needs: 'second', noop: true } } });
  await server.call('POST', '/api/v1/namespaces/default/jobs/grid/backfills', { from: '2026-10-01', to: '2026-10-03' });
  const runs = async () => (await server.call('GET', '/api/v1/namespaces/default/runs?job=grid&limit=20')).items;
  await server.until('three runs to fail', async () => (await runs()).filter(({ state }) => state === 'failed').length === 3);
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs/grid?tab=tasks&view=grid');
  const cell = (row, column) => page.locator(`[data-cell="${row},${column}"]`);
  const chosen = page.locator('td[aria-selected="true"]');
  await page.getByRole('gridcell', { name: /^second, .*: failed/ }).nth(2).waitFor();

  const [from, to] = [await cell(1, 0).boundingBox(), await cell(2, 1).boundingBox()];
  await page.mouse.move(from.x + 9, from.y + 9);
  await page.mouse.down();
  await page.mouse.move(to.x + 9, to.y + 9, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('status').getByText('2 tasks × 2 runs').waitFor();
  await page.getByText('2 failed, 2 upstream failed').waitFor();
  if ((await chosen.count()) !== 4) return [`${await chosen.count()} cells are chosen`];
  const faults = await violations(page);
  const isOver = await page.getByRole('button', { name: 'Mark as succeeded' }).getAttribute('aria-disabled');
  if (isOver !== 'true') faults.push('tasks that are over can be marked');
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Run again in 2 runs' });
  await dialog.getByText('2 to run again, 1 kept.').nth(1).waitFor();
  faults.push(...(await violations(page)));
  await dialog.getByRole('button', { name: 'Run 4 tasks again in 2 runs' }).click();
  await page.getByText('2 new runs have started.').waitFor();
  const again = (await runs()).filter((run) => run.rerun_of);
  if (again.length !== 2) faults.push(`${again.length} runs repeat others`);
  // The rectangle stays on its runs when newer ones come.
  await cell(0, 4).waitFor();
  if ((await chosen.count()) !== 4) faults.push('the rectangle is not where it was');

  await cell(1, 0).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowUp');
  await page.getByRole('status').getByText('2 tasks × 3 runs').waitFor();
  if (!(await cell(0, 2).evaluate((at) => at === document.activeElement))) faults.push('the focus is not at the corner that moves');
  await page.getByRole('button', { name: 'Backfill these dates' }).click();
  await arrived(page, (url) => url.pathname.endsWith('/backfills/new') && url.searchParams.get('from') === '2026-10-01T02:00:00.000Z' && url.searchParams.get('tasks') === 'first,second');
  await page.getByText('3 fire times: 0 run for the first time, 3 run again').waitFor();

  await server.job('gated', { tasks: { gate: { approval: { prompt: 'go on?' } }, slow: { run: 'sleep 600' }, after: { needs: ['gate', 'slow'], noop: true } } });
  const gated = await server.run('gated');
  await visit(page, '/ns/default/jobs/gated?tab=tasks&view=grid');
  await page.getByRole('gridcell', { name: /^slow, .*: running/ }).waitFor();
  await page.getByRole('button', { name: 'Select cells' }).click();
  await page.getByRole('gridcell', { name: /^gate/ }).click();
  await page.getByRole('gridcell', { name: /^slow/ }).click();
  await page.getByRole('status').getByText('2 tasks × 1 run').waitFor();
  await page.getByRole('button', { name: 'Mark as succeeded' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('seen elsewhere');
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as succeeded' }).click();
  if ((await server.final(gated)) !== 'succeeded') faults.push('the run did not succeed');
  return faults;
}

/** A receiver on this machine; `taken` is what it was sent, and it refuses while `broken`. */
async function receiver() {
  const taken = [];
  const state = { taken, broken: false };
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (!state.broken) taken.push(JSON.parse(body).type);
      response.writeHead(state.broken ? 503 : 204).end();
    });
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, { url: `http://127.0.0.1:${http.address().port}/`, close: () => http.close() });
}

/** A channel is made and tried, a rule tells it of a failure, the badge counts it, it is silenced, sent again, and over when the job is well; what cannot be deleted says why. */
export async function hearOfFailures({ own, open }) {
  const hook = await receiver();
  const server = await own('--allow-outbound', 'loopback');
  try {
    await server.job('payroll', { run: 'exit 3' });
    const context = await open({}, {}, server);
    const page = await signIn(context, server);
    await visit(page, '/ns/default/alerts');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New channel' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('night');
    const faults = await violations(page);
    await dialog.getByLabel('Kind').selectOption('webhook');
    await dialog.getByLabel('Address', { exact: true }).fill(hook.url);
    faults.push(...(await violations(page)));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'Send a test to night' }).click();
    await page.getByText('night has taken the test.').waitFor();
    hook.broken = true;
    await page.getByRole('button', { name: 'Send a test to night' }).click();
    await page.getByText(/night did not take the test: alert.refused/).waitFor();
    hook.broken = false;
    if (hook.taken.join() !== 'alert.test') faults.push(`the receiver was sent ${hook.taken}`);

    // What is changed keeps the secret that the form does not know.
    await page.getByRole('row', { name: /night/ }).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    if ((await dialog.getByLabel('Address', { exact: true }).inputValue()) !== '***') faults.push('the address is shown');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('all');
    await dialog.getByLabel('Starts later than').fill('soon');
    faults.push(...(await violations(page)));
    context.expectsFailures = true;
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Starts later than').fill('10m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByRole('row', { name: /all.*failed, started later than 10m.*night/ }).waitFor();

    await server.run('payroll');
    await page.getByRole('link', { name: /^Alerts.*1 open/ }).waitFor();
    await page.getByRole('tab', { name: 'Open' }).click();
    await page.getByRole('row', { name: /payroll.*failed/ }).waitFor();
    await server.until('the message', async () => hook.taken.includes('alert.opened'));
    await page.getByRole('button', { name: 'Silence payroll' }).click();
    await dialog.getByLabel('Reason').fill('the disk is replaced');
    faults.push(...(await violations(page)));
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('silenced until').last().waitFor();
    await page.getByRole('tab', { name: 'Silences' }).click();
    await page.getByRole('button', { name: 'End the silence of default/payroll' }).click();
    await page.getByText('The silence is over.').waitFor();

    await page.getByRole('tab', { name: 'Deliveries' }).click();
    const sent = hook.taken.length;
    await page.getByRole('button', { name: /^Send again: default\/payroll/ }).first().click();
    await server.until('the message again', async () => hook.taken.length > sent);
    faults.push(...(await violations(page)));

    await page.getByRole('tab', { name: 'Channels' }).click();
    await page.getByRole('row', { name: /night/ }).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/named by the rules all/).waitFor();

    await server.job('payroll', { run: 'true' });
    await server.run('payroll');
    await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
    await server.until('the message that it is over', async () => hook.taken.includes('alert.recovered'));
    return faults;
  } finally {
    hook.close();
  }
}
