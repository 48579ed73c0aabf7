// What people type where others type, too, and what names and texts may hold. As journeys.mjs.
import { arrived, signIn, visit } from './browser.mjs';

/** Two people change one thing: the second sees both versions, and decides. */
export async function twoPeopleEditAnything({ server, open }) {
  await server.call('PUT', '/api/v1/namespaces/default/calendars/both', { name: 'both', holiday: ['2027-02-01'], description: 'first' });
  await server.call('PUT', '/api/v1/alert-channels/both', { name: 'both', webhook: { url: 'http://127.0.0.1:9/' } });
  await server.call('PUT', '/api/v1/alert-rules/both', { name: 'both', namespace: 'default', alerts: [{ failed: true, channels: ['both'] }] });
  await server.job('both', { noop: true, keep_data: true });
  await server.call('PUT', '/api/v1/namespaces/default/jobs/both/data', { at: 1 });
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  const dialog = page.getByRole('dialog');
  const faults = [];
  const of = async (row) => {
    await page.getByRole('row', { name: row }).getByRole('button', { name: /^More actions/ }).click();
  };
  const things = [
    {
      what: 'a calendar',
      at: '/ns/default/calendars',
      opens: async () => {
        await of(/both/);
        await page.getByRole('menuitem', { name: 'Edit' }).click();
      },
      field: 'Description',
      theirs: () => server.call('PUT', '/api/v1/namespaces/default/calendars/both', { name: 'both', holiday: ['2027-02-01'], description: 'theirs' }),
      saved: async () => (await server.call('GET', '/api/v1/namespaces/default/calendars/both')).spec.description,
    },
    {
      what: 'a rule',
      at: '/ns/default/alerts?tab=rules',
      opens: async () => {
        await of(/both/);
        await page.getByRole('menuitem', { name: 'Change' }).click();
      },
      field: 'Job',
      theirs: () => server.call('PUT', '/api/v1/alert-rules/both', { name: 'both', namespace: 'default', job: 'theirs', alerts: [{ failed: true, channels: ['both'] }] }),
      saved: async () => (await server.call('GET', '/api/v1/alert-rules/both')).spec.job,
    },
    {
      what: 'data of a job',
      at: '/ns/default/jobs/both',
      opens: () => page.getByRole('main').getByRole('button', { name: 'Set…' }).click(),
      field: 'Data, as JSON',
      mine: '{"at": 9007199254740993}',
      theirs: () => server.call('PUT', '/api/v1/namespaces/default/jobs/both/data', { at: 2 }),
      saved: async () => /"at":\s*(\d+)/.exec(await server.text('/api/v1/namespaces/default/jobs/both/data'))[1],
      is: '9007199254740993',
    },
  ];
  for (const { what, at, opens, field, mine = 'mine', theirs, saved, is = mine } of things) {
    await visit(page, at);
    await opens();
    await dialog.getByLabel(field, { exact: true }).fill(mine);
    await theirs();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Somebody saved this meanwhile.').waitFor();
    await dialog.getByText('Theirs, as it is saved').waitFor();
    await dialog.getByText('theirs').or(dialog.getByText('"at": 2')).first().waitFor();
    if ((await dialog.getByLabel(field, { exact: true }).inputValue()) !== mine) faults.push(`${what}: what was typed is lost`);
    await dialog.getByRole('button', { name: 'Replace theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    const now = await saved();
    if (now !== is) faults.push(`${what} is saved as ${now}`);
  }

  // Theirs is taken: the form goes on from it, and saves.
  await visit(page, '/ns/default/calendars');
  await of(/both/);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog.getByLabel('Description', { exact: true }).fill('again mine');
  await server.call('PUT', '/api/v1/namespaces/default/calendars/both', { name: 'both', holiday: ['2027-03-03'], description: 'theirs' });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByRole('button', { name: 'Begin from theirs' }).click();
  if ((await dialog.getByLabel('Description', { exact: true }).inputValue()) !== 'theirs') faults.push('theirs is not in the form');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });

  // A flow is saved while its file is edited.
  const flow = { flow: 'both', components: { a: { generate: { payload: 'x' }, schedule: '1h', end: 'success' } }, connections: [] };
  await server.call('PUT', '/api/v1/namespaces/default/flows/both', flow);
  await visit(page, '/ns/default/flows/both?view=file');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('description: mine\n');
  await page.getByText('Valid. It can be saved.').waitFor();
  await server.call('PUT', '/api/v1/namespaces/default/flows/both', { ...flow, description: 'theirs' });
  await page.getByRole('button', { name: 'Review and save' }).click();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('Somebody saved this meanwhile.').waitFor();
  await dialog.getByRole('button', { name: 'Replace theirs' }).click();
  await dialog.waitFor({ state: 'detached' });
  await server.until('the flow as it was edited', async () => (await server.call('GET', '/api/v1/namespaces/default/flows/both')).spec.description === 'mine');
  await server.call('DELETE', '/api/v1/namespaces/default/flows/both');
  return faults;
}

/** Names with characters that none may have are refused in every form, beside the field, and nothing is made. */
export async function forbiddenNamesEverywhere({ server, open }) {
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  const main = page.getByRole('main');
  const dialog = page.getByRole('dialog');
  const faults = [];
  const names = ['a/b', 'a b', '../up', 'a"b', '<i>x</i>', 'été', '作业', '💥', '-a', '\u202eab', 'a\u200bb'];
  const forms = [
    { at: '/ns/default/calendars', opens: 'New calendar', label: 'Calendar', more: { Days: '2027-01-01' }, sends: 'Save', made: '/api/v1/namespaces/default/calendars' },
    { at: '/ns/default/alerts?tab=rules', opens: 'New rule', label: 'Name', more: { 'Starts later than': '10m' }, sends: 'Save', made: '/api/v1/alert-rules' },
    { at: '/xxl', opens: 'New app', label: 'App', more: {}, sends: 'Create', made: '/api/v1/xxl/apps' },
    { at: '/ns/default/workers', opens: 'Connect a worker', label: 'Name', more: {}, sends: 'Make the token', made: '/api/v1/worker-tokens' },
  ];
  const count = async (path) => {
    const found = await server.call('GET', path);
    return (found.items ?? found).length;
  };
  for (const { at, opens, label, more, sends, made } of forms) {
    await visit(page, at);
    await main.getByRole('button', { name: opens, exact: true }).first().click();
    for (const [each, text] of Object.entries(more)) await dialog.getByLabel(each, { exact: true }).fill(text);
    const before = await count(made);
    for (const name of names) {
      await dialog.getByLabel(label, { exact: true }).fill(name);
      const answered = page.waitForResponse((response) => response.request().method() !== 'GET' && response.url().includes('/api/v1/'));
      await dialog.getByRole('button', { name: sends, exact: true }).click();
      const response = await answered;
      if (response.ok()) faults.push(`${opens}: ${JSON.stringify(name)} is taken`);
      await dialog.getByRole('alert').first().waitFor();
      if ((await dialog.getByLabel(label, { exact: true }).getAttribute('aria-invalid')) !== 'true') faults.push(`${opens}: of ${JSON.stringify(name)}, nothing is said beside the field but: ${await dialog.getByRole('alert').allInnerTexts()}`);
      if (response.ok()) break;
    }
    if ((await count(made)) !== before) faults.push(`${opens}: something was made`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  // Of labels, the dialog itself says what is wrong.
  await visit(page, '/ns/default/jobs');
  await page.getByRole('checkbox', { name: /^Select nightly-report/ }).check();
  await page.getByRole('button', { name: 'Label', exact: true }).click();
  const typed = dialog.getByLabel('Labels', { exact: true });
  for (const labels of ['=x', '💥=1', 'a b=c', 'x/=1 <i>=2', '-']) {
    await typed.fill(labels);
    await dialog.locator('[aria-invalid="true"]').waitFor();
    if (await dialog.getByRole('button', { name: 'Label', exact: true }).isEnabled()) faults.push(`the labels ${labels} can be set`);
    await typed.fill('fine=1');
    await dialog.locator('[aria-invalid="true"]').waitFor({ state: 'detached' });
  }
  return faults;
}
