// The cluster: its nodes and their pages. As journeys.mjs.
import { arrived, settled, signIn, tooWide, violations, visit } from './browser.mjs';

/** What needs a database that nodes share: STORE names one. */
export const shared = ['drainANode'];

/** A node has a page that shows what it does, and what it executes as it happens; the last one cannot drain; one that is not there leads to those that are. */
export async function lookAtANode({ server, open }) {
  await server.job('here', { run: 'sleep 600' });
  const context = await open();
  const page = await signIn(context, server);
  const main = page.getByRole('main');
  await visit(page, '/cluster');
  await page.getByRole('table', { name: 'Nodes' }).getByRole('link', { name: 'n1', exact: true }).click();
  await arrived(page, '**/cluster/nodes/n1');
  await main.getByText('256 of 256 shards').waitFor();
  await main.getByText('fires triggers, executes runs, serves API and console').waitFor();
  await main.getByText('All shards are its own').waitFor();
  await main.getByText('no shard can move').waitFor();
  const faults = await violations(page);
  const run = await server.run('here');
  await main.getByRole('link', { name: 'default/here' }).first().waitFor();
  await main.getByRole('term').filter({ hasText: 'A claim takes' }).waitFor();
  const drain = main.getByRole('button', { name: 'Drain', exact: true });
  if ((await drain.getAttribute('aria-disabled')) !== 'true') faults.push('the only node may drain');
  await main.getByRole('link', { name: 'default/here' }).first().click();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await main.getByRole('link', { name: 'n1', exact: true }).first().click();
  await arrived(page, '**/cluster/nodes/n1');
  await server.call('POST', `/api/v1/runs/${run}/cancel`, {});
  await server.final(run);
  await main.getByRole('table', { name: 'Runs', exact: true }).getByRole('row', { name: /cancelled default.here/ }).first().waitFor();
  const gone = `gone.${'n'.repeat(120)}`;
  await visit(page, `/cluster/nodes/${gone}`);
  await main.getByText('No node of this name is in the cluster').waitFor();
  faults.push(...(await violations(page)));
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await tooWide(page);
  if (wide > 0) faults.push(`a long name makes the page ${wide} px wider than a phone`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await main.getByRole('status').getByRole('link', { name: 'n1' }).click();
  await arrived(page, '**/cluster/nodes/n1');
  await settled(page);
  return faults;
}

/** Over a database that nodes share: shards go to a second node, and come back when it drains; both pages tell it. */
export async function drainANode({ server, own, open }) {
  const other = await own('--node-name', 'n2');
  const shards = async (name) => (await server.call('GET', '/api/v1/cluster')).nodes.find((node) => node.name === name)?.shards;
  await server.until('shards to be shared', async () => (await shards('n2')) === 128);
  const page = await signIn(await open(), server);
  const main = page.getByRole('main');
  await visit(page, '/cluster/nodes/n2');
  await main.getByText('128 of 256 shards').waitFor();
  await main.getByText(/^took 128 from/).waitFor();
  const faults = await violations(page);
  await main.getByRole('table', { name: 'Shards of n2' }).getByRole('row').nth(5).waitFor();
  await main.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('The <b>kernel</b> is replaced');
  await page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true }).click();
  await main.getByText('It has given its shards to the other nodes').waitFor();
  await main.getByText(/^gave 128 to/).waitFor();
  faults.push(...(await violations(page)));
  await main.getByRole('button', { name: 'Take part again' }).click();
  await main.getByText('128 of 256 shards').waitFor();
  await other.kill();
  await main.getByText('No node of this name is in the cluster').waitFor();
  await main.getByText(/^gave 128 to/).first().waitFor();
  return faults;
}

/** What was not fired is narrowed to a policy, and stands under its policies. */
export async function misfiresByPolicy({ server, open }) {
  await server.job('crowded', { run: 'sleep 600', schedule: { every: '1s' }, overlap: 'skip' });
  await server.job('dozes', { noop: true, schedule: { every: '1s' } });
  await server.call('POST', '/api/v1/namespaces/default/jobs/dozes/pause', {});
  const of = async (policy) => (await server.call('GET', `/api/v1/misfires?namespace=default&policy=${policy}`)).items.length;
  await server.until('fires that are suppressed', async () => (await of('skip')) >= 2);
  await server.call('POST', '/api/v1/namespaces/default/jobs/dozes/resume', {});
  await server.until('fires that passed in a pause', async () => (await of('resume')) >= 1);
  for (const job of ['crowded', 'dozes']) await server.call('POST', `/api/v1/namespaces/default/jobs/${job}/pause`, {});
  const page = await signIn(await open(), server);
  const main = page.getByRole('main');
  await visit(page, '/ns/default/misfires');
  await main.getByRole('list', { name: 'By policy' }).getByRole('button', { name: /^resume \d+$/ }).click();
  await arrived(page, (url) => url.searchParams.get('policy') === 'resume');
  const table = main.getByRole('table', { name: 'Misfires' });
  await table.getByRole('link', { name: 'dozes' }).first().waitFor();
  const faults = [];
  if ((await table.getByRole('link', { name: 'crowded' }).count()) > 0) faults.push('a misfire of another policy is shown');
  faults.push(...(await violations(page)));
  await main.getByLabel('Policy').selectOption('');
  await main.getByRole('button', { name: 'Group by' }).click();
  await page.getByRole('menuitemradio', { name: 'Policy' }).click();
  await page.keyboard.press('Escape');
  await arrived(page, (url) => url.searchParams.get('group') === 'policy' && !url.searchParams.has('policy'));
  await table.getByText(/^\d+ instants?$/).nth(1).waitFor();
  faults.push(...(await violations(page)));
  await page.reload();
  await table.getByText(/^\d+ instants?$/).nth(1).waitFor();
  return faults;
}
