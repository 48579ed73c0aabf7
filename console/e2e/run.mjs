// The whole console in Chromium against the real program: MAINSPRING=path/to/mainspring node e2e/run.mjs [NAME…]
// SHOTS=folder keeps a picture of every page.
import { mkdirSync } from 'node:fs';
import { launch, profile } from './browser.mjs';
import * as cluster from './cluster.mjs';
import * as forms from './forms.mjs';
import * as hardships from './hardships.mjs';
import * as input from './input.mjs';
import * as journeys from './journeys.mjs';
import * as lists from './lists.mjs';
import { looks } from './looks.mjs';
import * as questions from './questions.mjs';
import * as queues from './queues.mjs';
import * as repairs from './repairs.mjs';
import { Server, fill } from './server.mjs';

if (!process.env.MAINSPRING) {
  console.error('MAINSPRING names no program');
  process.exit(2);
}
const wanted = process.argv.slice(2);
// What takes long is for LONG=1, or for who names it.
// What needs nodes that share a database is for STORE.
const isLeftOut = (name) => (wanted.length > 0 ? !wanted.includes(name) : (hardships.long.includes(name) && !process.env.LONG) || (cluster.shared.includes(name) && !process.env.STORE));
if (process.env.SHOTS) mkdirSync(process.env.SHOTS, { recursive: true });

const server = new Server();
await server.start();
const browser = await launch();
let failed = 0;
try {
  const seen = await fill(server);
  for (const [name, test] of [...Object.entries(journeys), ...Object.entries(repairs), ...Object.entries(lists), ...Object.entries(questions), ...Object.entries(queues), ...Object.entries(cluster), ...Object.entries(forms), ...Object.entries(input), ...Object.entries(hardships), ['looks', looks]]) {
    if (typeof test !== 'function' || isLeftOut(name)) continue;
    const start = Date.now();
    const contexts = [];
    const open = async (prefs, options, at = server) => {
      const context = await profile(browser, at, prefs, options);
      contexts.push(context);
      return context;
    };
    // A journey's own server ends after its browsers, to which a stream that breaks off is a fault.
    const servers = [];
    const own = async (...more) => {
      const one = new Server(...more);
      servers.push(one);
      await one.start();
      return one;
    };
    let problems = [];
    try {
      problems = (await test({ server, browser, seen, open, own })) ?? [];
    } catch (error) {
      problems = [error.stack];
      const page = contexts.at(-1)?.pages().at(-1);
      if (process.env.SHOTS && page) await page.screenshot({ path: `${process.env.SHOTS}/failed-${name}.png` }).catch(() => undefined);
    }
    problems.push(...contexts.flatMap((context) => context.faults));
    for (const context of contexts) await context.close();
    for (const one of servers) await one.stop();
    console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} ${((Date.now() - start) / 1000).toFixed(1)} s`);
    for (const problem of [...new Set(problems)].slice(0, 25)) console.log(`  ${problem}`);
    failed += problems.length > 0 ? 1 : 0;
  }
} finally {
  await browser.close();
  await server.stop();
}
process.exit(failed > 0 ? 1 : 0);
