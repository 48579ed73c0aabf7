import { Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useEffect } from 'react';
import { useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { live, pauseLive, resumeLive } from '@/lib/live';
import { overlay } from '@/lib/overlays';
import { prefs } from '@/lib/prefs';
import { useStore } from '@/lib/store';
import { nav } from '@/nav';
import css from './Frame.module.css';
import { BottomBar, Rail } from './Rail';
import { InFrame } from './inFrame';
import { SignedOut } from './SignedOut';
import { TopBar } from './TopBar';
import { useNamespace } from './namespace';

const Palette = lazy(() => import('@/routes/palette/Palette').then((module) => ({ default: module.Palette })));
const Help = lazy(() => import('@/routes/help/Help').then((module) => ({ default: module.Help })));

/** What surrounds every page but the login. */
export function Frame() {
  const t = useT();
  const ns = useNamespace();
  const navigate = useNavigate();
  const over = useStore(overlay);
  useEffect(() => prefs.set((before) => ({ ...before, namespace: ns })), [ns]);

  useKeys([
    ...nav.flat().map((entry) => ({
      keys: `g ${entry.key}`,
      label: String(t.shell[entry.word]),
      group: t.shell.groupGo,
      run: () => void navigate({ to: entry.to, params: { ns } } as never),
    })),
    { keys: 'mod-k', label: t.shell.paletteKey, group: t.shell.groupGlobal, run: () => overlay.set('palette') },
    { keys: '?', label: t.shell.helpKey, group: t.shell.groupGlobal, run: () => overlay.set('help') },
    {
      keys: 'p',
      label: t.shell.pauseKey,
      group: t.shell.groupGlobal,
      run: () => (live.get().mode === 'paused' ? resumeLive() : pauseLive()),
    },
    {
      keys: 't',
      label: t.shell.themeKey,
      group: t.shell.groupGlobal,
      run: () => {
        const dark = document.documentElement.dataset.theme === 'dark';
        prefs.set((before) => ({ ...before, theme: dark ? 'light' : 'dark' }));
      },
    },
    {
      keys: '/',
      label: t.shell.searchKey,
      group: t.shell.groupGlobal,
      run: () => document.querySelector<HTMLElement>('[data-page-search]')?.focus(),
    },
  ]);

  return (
    <div className={css.frame}>
      <a className={css.skip} href="#content" onClick={skip}>
        {t.shell.skip}
      </a>
      <Rail ns={ns} />
      <TopBar ns={ns} />
      <main id="content" className={css.main} tabIndex={-1}>
        <InFrame value>
          <Outlet />
        </InFrame>
      </main>
      <BottomBar ns={ns} />
      <SignedOut />
      <Suspense fallback={null}>
        {over === 'palette' && <Palette />}
        {over === 'help' && <Help />}
      </Suspense>
    </div>
  );
}

// The page's base address would turn the fragment into another page.
function skip(event: React.MouseEvent) {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
