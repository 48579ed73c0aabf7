// Opens every page in both languages and both themes, wide and narrow: no errors, nothing that axe finds, no page wider than the window.
import { settled, signIn, tooWide, violations, visit } from './browser.mjs';
import { pages } from './pages.mjs';

/** Without LONG, each language in one theme: everything is seen once. */
function combinations() {
  const all = ['en', 'zh'].flatMap((language) => ['light', 'dark'].map((theme) => ({ language, theme })));
  return process.env.LONG ? all : all.filter(({ language, theme }) => (language === 'en') === (theme === 'light'));
}

export async function looks({ server, seen, open }) {
  const problems = [];
  for (const { language, theme } of combinations()) {
    const context = await open({ language, theme });
    // Pages of things that do not exist ask for them.
    context.expectsFailures = true;
    const page = await signIn(context, server);
    for (const path of pages(seen)) {
      await visit(page, path);
      // It opens over a page that is there before it.
      if (path.includes('?rerun=')) await page.getByRole('dialog').waitFor();
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
        await settled(page);
        const where = `${path} ${language} ${theme} ${width}`;
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${where.replace(/[^\w]+/g, '_')}.png` });
        const wide = await tooWide(page);
        if (wide > 0) problems.push(`${where}: ${wide} px wider than its room`);
        // Themes differ in colours, widths in layout: both widths are looked at once a language.
        if (width === 1440 || (language === 'en') === (theme === 'light')) {
          for (const violation of await violations(page)) problems.push(`${where}: ${violation}`);
        }
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  }
  return problems;
}
