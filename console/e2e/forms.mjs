// What dialogs do with what is refused, and with answers that never come. Each returns what is wrong, or throws.
import { settled, signIn, visit } from './browser.mjs';

/** Dialogs with something in a field that the server refuses. `beside` is the field at which that has to be said; absent: below all of them. */
const dialogs = [
  { at: '/ns/default/workers', opens: 'Connect a worker', types: { Name: 'emoji 🎉 <script>alert(1)</script>' }, sends: 'Make the token', beside: 'Name' },
  { at: '/webhooks', opens: 'New webhook', types: { Name: 'hook', Address: 'javascript:alert(1)' }, sends: 'Make the webhook', beside: 'Address' },
  { at: '/ns/default/alerts?tab=channels', opens: 'New channel', types: { Name: 'x '.repeat(90), 'SMTP server': 'mail.example.org', From: 'jobs@example.org', To: 'ops@example.org' }, sends: 'Save', beside: 'Name' },
  { at: '/ns/default/alerts?tab=rules', opens: 'New rule', types: { Name: 'rule', 'Starts later than': 'soon 🎉' }, sends: 'Save', beside: 'Starts later than' },
  { at: '/ns/default/calendars', opens: 'New calendar', types: { Calendar: 'closed', Days: '2026-02-30' }, sends: 'Save', beside: 'Days' },
  { at: '/xxl', opens: 'New app', types: { App: 'a/b' }, sends: 'Create', beside: 'App' },
];

const still = async (dialog, types) => {
  const lost = [];
  for (const [label, text] of Object.entries(types)) {
    const now = await dialog.getByLabel(label, { exact: true }).inputValue();
    if (now !== text) lost.push(`${label} has ${JSON.stringify(now)} in place of ${JSON.stringify(text)}`);
  }
  return lost;
};

/** A dialog says beside the field what was refused, says when no answer came, outlives a sign-in that ends, and loses nothing of what was typed. */
export async function dialogsLoseNothing({ server, open }) {
  const faults = [];
  const context = await open();
  context.expectsFailures = true;
  const page = await signIn(context, server);
  for (const { at, opens, types, sends, beside } of dialogs) {
    const fault = (what) => faults.push(`${opens}: ${what}`);
    await visit(page, at);
    await page.getByRole('main').getByRole('button', { name: opens, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    for (const [label, text] of Object.entries(types)) await dialog.getByLabel(label, { exact: true }).fill(text);
    const send = () => dialog.getByRole('button', { name: sends, exact: true }).click();
    await send();
    const field = dialog.getByLabel(beside, { exact: true });
    await dialog.getByRole('alert').first().waitFor();
    if ((await field.getAttribute('aria-invalid')) !== 'true') fault(`nothing is said beside ${beside}, but: ${await dialog.getByRole('alert').allInnerTexts()}`);
    (await still(dialog, types)).forEach(fault);

    await page.route('**/api/v1/**', (route) => (route.request().method() === 'GET' ? route.fallback() : route.abort()));
    await send();
    await dialog.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    (await still(dialog, types)).forEach(fault);
    await page.unroute('**/api/v1/**');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }

  // The last one once more, while the sign-in ends.
  const { at, opens, types, sends, beside } = dialogs[0];
  await visit(page, at);
  await page.getByRole('main').getByRole('button', { name: opens, exact: true }).first().click();
  const dialog = page.getByRole('dialog').filter({ hasText: opens });
  for (const [label, text] of Object.entries(types)) await dialog.getByLabel(label, { exact: true }).fill(text);
  await context.clearCookies();
  // Not with the pointer: the page may have met it first, and asks for the sign-in above the dialog.
  await dialog.getByRole('button', { name: sends, exact: true }).dispatchEvent('click');
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.getByLabel('Access token').fill(server.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor({ state: 'hidden' });
  faults.push(...(await still(dialog, types)));
  await dialog.getByRole('button', { name: sends, exact: true }).click();
  await dialog.locator('[aria-invalid="true"]').waitFor();
  if ((await dialog.getByLabel(beside, { exact: true }).getAttribute('aria-invalid')) !== 'true') faults.push('after the sign-in, nothing is said beside the field');
  await page.keyboard.press('Escape');
  await settled(page);
  return faults;
}
