// Takes pictures of pages for a look at them: node e2e/shot.mjs BASE OUT PATH... [--sizes 1440,360] [--themes light,dark] [--langs en]
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(`--${name}`);
  return (at < 0 ? otherwise : args.splice(at, 2)[1]).split(',');
};
const sizes = option('sizes', '1440,360').map(Number);
const themes = option('themes', 'light,dark');
const langs = option('langs', 'en');
const [base, out, ...paths] = args;

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
for (const size of sizes) {
  for (const theme of themes) {
    for (const language of langs) {
      const context = await browser.newContext({ viewport: { width: size, height: size < 720 ? 740 : 900 }, deviceScaleFactor: size < 720 ? 2 : 1, timezoneId: 'Asia/Shanghai' });
      await context.addInitScript((prefs) => localStorage.setItem('mainspring.prefs', prefs), JSON.stringify({ theme, language }));
      const page = await context.newPage();
      page.on('console', (message) => message.type() === 'error' && console.log(`console: ${message.text()}`));
      page.on('pageerror', (error) => console.log(`error: ${error.message}`));
      for (const path of paths) {
        await page.goto(base + path);
        await page.locator('h1').first().waitFor({ timeout: 15_000 });
        await page.waitForFunction(() => !document.querySelector('[role="status"][aria-label]'), undefined, { timeout: 8000 }).catch(() => console.log(`still loading: ${path}`));
        const name = `${path.replace(/[^\w]+/g, '_').replace(/^_|_$/g, '') || 'start'}-${size}-${theme}-${language}.png`;
        await page.screenshot({ path: `${out}/${name}` });
        console.log(name);
      }
      await context.close();
    }
  }
}
await browser.close();
