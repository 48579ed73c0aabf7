// Queues: what comes, leaves and waits over time, and what failed.
import { settled, signIn, violations, visit } from './browser.mjs';

/** A queue fills while it is paused: its page shows how, and why. It is limited, resumed, and what failed of it runs again. */
export async function watchAQueue({ open, own }) {
  const server = await own();
  await server.job('letter', { noop: true, queue: 'mail' });
  await server.job('parcel', { run: 'exit 1', queue: 'mail' });
  await server.call('POST', '/api/v1/queues/mail/pause', { reason: 'The mail server is down' });
  const runs = [];
  for (let each = 0; each < 12; each += 1) runs.push(await server.run('letter'));
  runs.push(await server.run('parcel'));
  await server.until('what waits to be seen', async () => (await server.call('GET', '/api/v1/queues/mail')).lately?.depths.at(-1) === 13);

  const page = await signIn(await open({}, {}, server), server);
  await visit(page, '/ns/default/queues');
  const row = page.getByRole('row', { name: /^mail/ });
  await row.getByRole('img', { name: /^Runs that waited in each minute: .*13$/ }).waitFor();
  const faults = await violations(page);
  await row.getByRole('link', { name: 'mail', exact: true }).click();
  await page.getByRole('heading', { name: 'mail', exact: true }).waitFor();
  await page.getByRole('img', { name: /^Waiting: at most 13/ }).waitFor();
  await page.getByText('the queue mail is paused').waitFor();
  const head = page.getByRole('table', { name: 'Leaves first' });
  if ((await head.getByRole('link').count()) !== 10) faults.push('the list of what leaves first has not ten runs');
  faults.push(...(await violations(page)));
  faults.push(...(await orderTheHead(page, server, head, runs)));

  await page.getByRole('button', { name: 'Set limits' }).click();
  const limits = page.getByRole('dialog', { name: 'Limits of mail' });
  await limits.getByText('Now: 0 may leave at once, 12 wait on.').waitFor();
  await limits.getByLabel('Runs at a time').fill('2');
  await limits.getByLabel('Reason').fill('Spare the printer');
  faults.push(...(await violations(page)));
  await limits.getByRole('button', { name: 'Save' }).click();
  await page.getByText('0 of 2').waitFor();
  await page.getByText('Runs at a time: no limit → 2').waitFor();
  await page.getByText('Spare the printer').waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await head.waitFor({ state: 'detached' });
  for (const run of runs) await server.final(run);

  const failed = page.getByRole('table', { name: 'Runs' });
  await failed.getByRole('checkbox', { name: /^Select parcel/ }).check();
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
  await page.getByText('Runs that started again: 1.').waitFor();
  await server.until('it to fail again', async () => (await server.call('GET', '/api/v1/namespaces/-/runs?q=queue:mail%20state:failed')).items.length === 2);
  await page.getByRole('button', { name: 'Run all again' }).click();
  await page.getByRole('dialog', { name: 'Run 1 failed runs again?' }).getByRole('button', { name: 'Run all again' }).click();
  await page.getByText('Ran again: 1 run').waitFor();
  await page.getByRole('img', { name: /^In and out: came \d+, left \d+$/ }).waitFor();
  const left = async () => (await server.call('GET', '/api/v1/queues/mail/history')).points.reduce((sum, point) => sum + point.left, 0);
  await server.until('what left to be counted', async () => (await left()) === 14);

  await page.getByRole('button', { name: '24 h' }).click();
  await page.getByRole('button', { name: '24 h', pressed: true }).waitFor();
  await page.getByRole('button', { name: 'View as table' }).first().click();
  await page.getByRole('region', { name: 'Waiting' }).getByRole('row').nth(96).waitFor();
  await settled(page);
  return faults;
}

/** The head of a queue is put into another order, which can be taken back, and a run is dropped. */
async function orderTheHead(page, server, head, runs) {
  const first = async () => (await server.call('GET', '/api/v1/queues/mail/waiting')).head[0].id;
  await head.getByRole('button', { name: 'Move to the top: letter' }).nth(9).click();
  await page.getByText('The run of letter leaves first.').waitFor();
  await server.until('the run to be the first', async () => (await first()) === runs[9]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await server.until('the old order', async () => (await first()) === runs[0]);
  await head.getByRole('row').nth(1).locator(`a[href*="${runs[0]}"]`).waitFor();
  await page.getByText('was put first').first().waitFor();
  await head.getByRole('button', { name: 'Drop: letter' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Drop the run of letter?' });
  await dialog.getByLabel('Reason').fill('Not wanted');
  await dialog.getByRole('button', { name: 'Drop' }).click();
  await page.getByText('The run of letter was dropped.').waitFor();
  await server.until('it to be gone', async () => (await first()) === runs[1]);
  await page.getByText('Not wanted').waitFor();
  return violations(page);
}

/** The page of a job says who could take its next run, and why the server could not. */
export async function whoCouldRunAJob({ server, open }) {
  await server.job('far-off', { noop: true, queue: 'far-off', workers: { zone: 'south' } });
  await server.job('near-by', { noop: true });
  const page = await signIn(await open(), server);
  await visit(page, '/ns/default/jobs/near-by');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const takers = page.getByRole('list', { name: 'Who could run it' });
  await takers.getByRole('listitem').filter({ hasText: 'n1' }).getByText('now', { exact: true }).waitFor();
  const faults = await violations(page);
  await visit(page, '/ns/default/jobs/far-off');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await takers.getByText('the job is routed: its runs go to workers alone').waitFor();
  await page.getByText(/^0 of \d+ could take a run now\.$/).waitFor();
  faults.push(...(await violations(page)));
  return faults;
}
