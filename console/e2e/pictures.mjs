// Makes the pictures of docs/guide/console.md from a server that has worked for a while: node e2e/pictures.mjs URL TOKEN OUT
import { launch, profile, settled, signIn, visit } from './browser.mjs';

const [url, token, out] = process.argv.slice(2);
const server = {
  url,
  call: async (method, path, body) => {
    const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
    return response.json();
  },
};
const { items } = await server.call('GET', '/api/v1/namespaces/default/runs?job=always-fails&state=failed&limit=1');
const shots = [
  ['dashboard', '/ns/default', { theme: 'light' }],
  ['jobs', '/ns/default/jobs', { theme: 'light' }],
  ['editor', '/ns/default/jobs/office-hours/edit?mode=yaml', { theme: 'dark' }],
  ['run', `/ns/default/runs/${items[0]?.id}`, { theme: 'light' }],
  ['chinese', '/ns/default/jobs', { theme: 'dark', language: 'zh' }],
  ['phone', `/ns/default/runs/${items[0]?.id}`, { theme: 'dark' }, { viewport: { width: 360, height: 740 } }],
];
const browser = await launch();
for (const [name, path, prefs, options] of shots) {
  const context = await profile(browser, server, { language: 'en', ...prefs }, options);
  const page = await signIn(context, server);
  await visit(page, path);
  await settled(page);
  await page.screenshot({ path: `${out}/${name}.png` });
  await context.close();
}
await browser.close();
