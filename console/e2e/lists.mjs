// Lists, and what stands beside them: rows in short, groups, the page of a worker. Each returns what is wrong, or throws.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrived, settled, signIn, violations, visit } from './browser.mjs';

/** A click shows a job beside the list; keys go from row to row and stay at the edge; the address brings it back; Escape closes it. */
export async function peekAtJobs({ server, open }) {
  await server.job('peek-a', { run: 'echo "the <b>pump</b> is dry" >&2; exit 9', labels: { team: 'peek' } });
  await server.job('peek-b', { noop: true, description: 'Beside the <i>list</i>', schedule: '0 4 * * *', timezone: 'Asia/Tokyo', labels: { team: 'peek' } });
  await server.job('peek-c', { noop: true, paused: true, schedule: { every: '1h' }, labels: { team: 'peek' } });
  await server.final(await server.run('peek-a'));
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs?q=label:team=peek');
  const faults = [];
  const panel = (name) => page.getByRole('complementary', { name: `${name}, in short` });
  // Beside the link, which opens the page.
  await page.getByRole('row', { name: /^Select peek-a/ }).locator('td').nth(2).click();
  await panel('peek-a').getByText('the process exited with code 9').waitFor();
  await arrived(page, (url) => url.searchParams.get('peek') === 'peek-a');
  faults.push(...(await violations(page)));
  await page.keyboard.press('ArrowUp');
  await panel('peek-a').waitFor();
  await page.keyboard.press('ArrowDown');
  await panel('peek-b').getByText('Beside the <i>list</i>').waitFor();
  await page.keyboard.press('j');
  await panel('peek-c').getByText('paused', { exact: true }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await panel('peek-c').waitFor();
  if (!(await panel('peek-c').getByRole('button', { name: 'The row below' }).isDisabled())) faults.push('there is a row below the last one');
  await page.reload();
  await panel('peek-c').waitFor();
  await panel('peek-c').getByRole('button', { name: 'The row above' }).click();
  await panel('peek-b').waitFor();
  await page.keyboard.press('Escape');
  await panel('peek-b').waitFor({ state: 'detached' });
  if (new URL(page.url()).searchParams.has('peek')) faults.push('the address still names the row');
  // The keyboard alone: down to a row, space, an action, Escape closes the dialog first.
  await page.getByRole('row', { name: /^Select peek-a/ }).focus();
  await page.keyboard.press('Space');
  await panel('peek-a').waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await panel('peek-a').waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 job selected').waitFor();
  await panel('peek-a').getByRole('link', { name: 'Open the failing log' }).click();
  await page.getByRole('log').getByText('the <b>pump</b> is dry').waitFor();
  return faults;
}

/** A run is shown beside the list with the end of its log; on a phone it is a sheet that keyboards and fingers leave. */
export async function peekAtRuns({ server, seen, open }) {
  await server.job('peek-run', { run: "printf '\\033[31mred\\033[0m <b>words</b>\\n'" });
  await server.final(await server.run('peek-run'));
  const context = await open({}, { viewport: { width: 360, height: 740 } });
  const page = await signIn(context, server);
  await visit(page, '/ns/default/runs?q=job:peek-run');
  await page.locator('tbody tr').first().locator('td').nth(1).click();
  const panel = page.getByRole('complementary', { name: 'peek-run, in short' });
  await panel.getByText('red <b>words</b>').waitFor();
  const faults = await violations(page);
  const box = await panel.boundingBox();
  if (box.width !== 360 || box.y + box.height !== 740) faults.push(`the sheet stands at ${JSON.stringify(box)}`);
  await panel.getByRole('button', { name: 'Close', exact: true }).click();
  await panel.waitFor({ state: 'detached' });
  await visit(page, `/ns/default/runs?peek=${seen.failed}`);
  await page.getByRole('complementary', { name: 'always-fails, in short' }).getByText('Error: relation "orders" does not exist').first().waitFor();
  return faults;
}

/** A worker has a page that shows what it executes as it happens, and that says so when it is gone. */
export async function lookAtAWorker({ server, open }) {
  const folder = mkdtempSync(join(tmpdir(), 'mainspring-worker-'));
  const { token } = await server.call('POST', '/api/v1/worker-tokens', { name: 'looked-at', queues: ['looked-at'] });
  writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
  const name = `w.${'x'.repeat(60)}`;
  const worker = spawn(process.env.MAINSPRING, ['worker', '--server', server.url, '--token-file', join(folder, 'token'), '--name', name, '--label', 'zone=north', '--queues', 'looked-at', '--slots', '2', '--grace', '1s'], { stdio: 'ignore' });
  const faults = [];
  try {
    await server.until('the worker', async () => (await server.call('GET', '/api/v1/workers')).some((one) => one.name === name));
    // Only the worker takes what is routed to its label.
    await server.job('far-away', { run: 'sleep 600', queue: 'looked-at', workers: { zone: 'north' } });
    const page = await signIn(await open(), server);
    await visit(page, '/ns/default/workers');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('0 of 2 slots in use').waitFor();
    await page.getByText('zone=north').waitFor();
    await page.getByText('It executes nothing at the moment.').waitFor();
    faults.push(...(await violations(page)));
    const queue = await page.getByRole('link', { name: 'looked-at', exact: true }).getAttribute('href');
    if (!queue.endsWith('/ns/default/queues/looked-at')) faults.push(`the queue of a worker leads to ${queue}`);
    const heard = page.locator('main time').first();
    const before = await heard.getAttribute('datetime');
    await server.until('a heartbeat on the page', async () => (await heard.getAttribute('datetime')) !== before);
    const run = await server.run('far-away');
    await server.until('the run to start', async () => (await server.call('GET', `/api/v1/runs/${run}`)).state === 'running');
    await page.getByText('1 of 2 slots in use').waitFor();
    await drainAndTakeBack({ server, page, run, name });
    await page.getByRole('link', { name: 'default/far-away' }).first().click();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await server.call('POST', `/api/v1/runs/${run}/cancel`, {});
    await server.final(run);
    worker.kill('SIGTERM');
    await page.getByText('No worker of this name is connected').waitFor();
    faults.push(...(await violations(page)));
    await settled(page);
  } finally {
    worker.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  return faults;
}

/** A worker that drains goes on with what it has and gets nothing new, and its clock is shown; both are taken back from the message. */
async function drainAndTakeBack({ server, page, run, name }) {
  const main = page.getByRole('main');
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 run that it executes goes on to the end').waitFor();
  await dialog.getByRole('button', { name: 'Drain', exact: true }).click();
  await main.getByText('It finishes what it executes, and takes nothing new.').waitFor();
  const waits = await server.run('far-away');
  const why = await server.call('GET', `/api/v1/runs/${waits}/why`);
  if (!why.reasons.some((reason) => reason.message.includes('drain'))) throw new Error(`a run that waits for a worker that drains says ${JSON.stringify(why)}`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await main.getByText('It finishes what it executes').waitFor({ state: 'detached' });
  await server.until('the run that waited', async () => (await server.call('GET', `/api/v1/runs/${waits}`)).state === 'running');
  await server.call('POST', `/api/v1/runs/${waits}/cancel`, {});
  await server.final(waits);
  await server.until('its clock', async () => typeof (await server.call('GET', '/api/v1/workers')).find((one) => one.name === name).clock_offset_ms === 'number');
  await main.getByText('Clock', { exact: true }).waitFor();
  if ((await server.call('GET', `/api/v1/runs/${run}`)).state !== 'running') throw new Error('a worker that drains goes on with what it has');
}

/** What waits in a queue moves to another one; where nothing waits, the menu says so. */
export async function moveWhatWaits({ server, open }) {
  for (const queue of ['move-from', 'move-to']) await server.call('POST', `/api/v1/queues/${queue}/pause`, {});
  await server.job('movable', { noop: true, queue: 'move-from' });
  const runs = [await server.run('movable'), await server.run('movable')];
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/queues');
  const row = page.getByRole('row', { name: /^move-from/ });
  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move runs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move what waits in move-from' });
  await dialog.getByText('Runs that wait: 2.').waitFor();
  const faults = await violations(page);
  await dialog.getByLabel('To the queue').fill('move-from');
  await dialog.getByText('They wait there already.').waitFor();
  if (!(await dialog.getByRole('button', { name: 'Move runs' }).isDisabled())) faults.push('runs can be moved to where they are');
  await dialog.getByLabel('To the queue').fill('move-to');
  await dialog.getByRole('button', { name: 'Move runs' }).click();
  await page.getByText('Runs that wait in move-to now: 2.').waitFor();
  for (const run of runs) {
    const { queue } = await server.call('GET', `/api/v1/runs/${run}`);
    if (queue !== 'move-to') faults.push(`run ${run} waits in ${queue}`);
  }
  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /Nothing waits in it/ }).waitFor();
  await page.keyboard.press('Escape');
  await server.call('POST', '/api/v1/queues/move-to/resume', {});
  for (const run of runs) await server.final(run);
  await server.call('POST', '/api/v1/queues/move-from/resume', {});
  return faults;
}

/** Jobs stand in groups with the number of all that match; the address and a saved view bring groups back; a phone has them, too. */
export async function groupJobs({ own, open }) {
  // So many jobs would push others out of sight in the lists of other journeys.
  const server = await own();
  for (let at = 0; at < 105; at += 1) await server.job(`group-${String(at).padStart(3, '0')}`, { noop: true, owner: 'crowd', labels: { crew: 'night' } });
  await server.job('group-x', { noop: true, owner: 'Ana, of <b>ops</b>', queue: 'slow', labels: { crew: 'day' } });
  await server.job('group-y', { noop: true, labels: { crew: 'day' } });
  const context = await open({}, {}, server);
  const page = await signIn(context, server);
  await visit(page, '/ns/default/jobs?q=label:crew');
  const faults = [];
  const head = (name) => page.getByRole('button', { name, exact: true });
  await page.getByRole('button', { name: 'Group by' }).click();
  await page.getByRole('menuitemradio', { name: 'label crew' }).waitFor();
  await page.getByRole('menuitemradio', { name: 'owner' }).click();
  await page.keyboard.press('Escape');
  await head('crowd 105').waitFor();
  await head('none 1').click();
  await page.getByRole('row', { name: /^Select group-y/ }).waitFor();
  await head('Ana, of <b>ops</b> 1').click();
  await page.getByRole('row', { name: /^Select group-x/ }).waitFor();
  faults.push(...(await violations(page)));
  // The address brings back what is open.
  await page.reload();
  await page.getByRole('row', { name: /^Select group-x/ }).waitFor();
  await page.getByRole('row', { name: /^Select group-y/ }).waitFor();
  await head('none 1').click();
  await page.getByRole('row', { name: /^Select group-y/ }).waitFor({ state: 'detached' });
  // By keyboard; more than a page of them leads to the list, which is not grouped.
  await page.getByRole('row', { name: /^crowd 105/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('row', { name: /^Select group-000/ }).waitFor();
  await page.getByRole('row', { name: /^crowd 105/ }).getByRole('link', { name: 'Show as a list' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'label:crew owner:crowd' && !url.searchParams.has('group'));
  // A label, kept in a view.
  await visit(page, '/ns/default/jobs?q=group-&group=label:crew');
  await head('night 105').waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('crews');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.waitForURL((url) => url.searchParams.get('view') === 'crews');
  await page.goto(`${server.url}/ns/default/jobs?view=crews`);
  await head('day 2').click();
  await page.getByRole('row', { name: /^Select group-x/ }).waitFor();
  if (new URL(page.url()).searchParams.get('group') !== 'label:crew') faults.push(`the view shows ${page.url()}`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/groups-light.png` });
  await server.call('DELETE', '/api/v1/views/crews');
  for (const [theme, language, width] of [['dark', 'en', 1440], ['light', 'zh', 1440], ['dark', 'zh', 360]]) {
    const other = await open({ theme, language }, { viewport: { width, height: 740 } }, server);
    const shown = await signIn(other, server);
    await visit(shown, '/ns/default/jobs?q=label:crew&group=label:crew&open=day');
    await shown.getByRole('row', { name: /group-y/ }).waitFor();
    faults.push(...(await violations(shown)));
    const wide = await shown.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) faults.push(`the page is ${wide} px wide at ${width}`);
    if (process.env.SHOTS) await shown.screenshot({ path: `${process.env.SHOTS}/groups-${theme}-${language}-${width}.png` });
  }
  return faults;
}

/** Runs stand under the headings of their jobs; what is closed stays so in the address; a group leads to the list of its runs. */
export async function groupRuns({ server, open }) {
  for (const name of ['bunch-a', 'bunch-b']) {
    await server.job(name, { noop: true, labels: { in: 'bunch' } });
    for (let at = 0; at < 2; at += 1) await server.final(await server.run(name));
  }
  const context = await open();
  const page = await signIn(context, server);
  await visit(page, '/ns/default/runs?q=label:in=bunch');
  await page.getByRole('button', { name: 'Group by' }).click();
  await page.getByRole('menuitemradio', { name: 'job' }).click();
  await page.keyboard.press('Escape');
  const head = (name) => page.getByRole('rowheader').getByRole('button', { name: new RegExp(`^${name} ?2 shown$`) });
  await head('bunch-b').waitFor();
  const faults = await violations(page);
  const rows = () => page.locator('tbody tr:not([data-group])').count();
  if ((await rows()) !== 4) faults.push(`${await rows()} rows are shown of 4`);
  await head('bunch-b').click();
  await page.waitForURL((url) => url.searchParams.get('closed') === 'bunch-b');
  await page.reload();
  await head('bunch-b').waitFor();
  if ((await rows()) !== 2) faults.push(`${await rows()} rows are shown of 2`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/group-runs.png` });
  await page.getByRole('row', { name: /^bunch-a/ }).getByRole('link', { name: 'Show as a list' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'label:in=bunch job:bunch-a' && !url.searchParams.has('group'));
  return faults;
}

/** Runs that are over name the node that executed them: as a column, as a group, and in a query. */
export async function findRunsByNode({ server, open }) {
  await server.job('by-node', { noop: true });
  await server.final(await server.run('by-node'));
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/runs?q=job:by-node&group=node');
  await page.getByRole('columnheader', { name: 'Executed by' }).waitFor();
  await page.getByRole('cell', { name: 'n1', exact: true }).getByRole('link').waitFor();
  await page.getByRole('row', { name: /^n1/ }).getByRole('link', { name: 'Show as a list' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'job:by-node node:n1');
  await page.getByRole('link', { name: 'by-node' }).first().waitFor();
  return violations(page);
}

/** Jobs stand under the state that wants a look first, and each of them once. */
export async function groupJobsByState({ server, open }) {
  await server.job('state-fails', { run: 'exit 1', labels: { in: 'states' } });
  await server.job('state-rests', { noop: true, paused: true, labels: { in: 'states' } });
  await server.job('state-new', { noop: true, labels: { in: 'states' } });
  await server.final(await server.run('state-fails'));
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs?q=label:in=states&group=state');
  const heads = page.getByRole('rowheader');
  await heads.filter({ hasText: 'failing' }).waitFor();
  const words = (await heads.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  const wanted = ['failing', 'never run', 'paused'];
  if (wanted.some((word, at) => !words[at]?.startsWith(word))) return [`the groups are ${JSON.stringify(words)}`];
  await heads.filter({ hasText: 'never run' }).getByRole('button').click();
  await page.getByRole('link', { name: 'state-new' }).waitFor();
}

/** The owner and the labels of a job lead to the jobs that have them, whatever is written in them. */
export async function followOwnerAndLabel({ server, open }) {
  await server.job('linked', { noop: true, owner: 'Ana "A", of ops', labels: { note: 'one, two' } });
  await server.job('not-linked', { noop: true, owner: 'Ana', labels: { note: 'one' } });
  const page = await signIn(await open(), server);
  const faults = [];
  for (const path of ['/ns/default/jobs/linked', '/ns/default/jobs?q=linked&peek=linked', '/ns/default/jobs?q=linked&cols=name,owner,labels']) {
    for (const name of ['Ana "A", of ops', ...(path.includes('peek') ? [] : ['note=one, two'])]) {
      await visit(page, path);
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.waitForURL((url) => /^(owner|label):"/.test(url.searchParams.get('q')));
      await page.getByRole('row', { name: /^Select linked/ }).waitFor();
      await page.getByRole('row', { name: /^Select not-linked/ }).waitFor({ state: 'detached' });
      if ((await page.locator('tbody tr').count()) !== 1) faults.push(`${name} of ${path} leads to ${page.url()}`);
    }
  }
  return faults;
}
