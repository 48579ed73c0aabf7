// What people do when a job has gone wrong, from end to end. Each returns what is wrong, or throws.
import { signIn, violations, visit } from './browser.mjs';

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
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(run));
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
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(run));
  const last = page.url().split('/').at(-1).replace(/\?.*/, '');
  if ((await server.final(last)) !== 'succeeded') faults.push('the run of the newest version did not succeed');
  return faults;
}
