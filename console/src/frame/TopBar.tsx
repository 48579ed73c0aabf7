import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { ChevronsUpDown, Globe, Keyboard, LogOut, Search, SlidersHorizontal } from 'lucide-react';
import { raw } from '@/api/client';
import { namespacesQuery } from '@/api/queries';
import { Button, IconButton } from '@/components/Button';
import { Logo } from '@/components/Logo';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from '@/components/Menu';
import { toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { overlay } from '@/lib/overlays';
import { type Language, type Theme, type ZoneChoice, browserZone, usePref } from '@/lib/prefs';
import { LivePill } from './LivePill';
import css from './TopBar.module.css';

export function TopBar({ ns }: { ns: string }) {
  const t = useT();
  return (
    <header className={css.bar}>
      <Link to="/" className={css.mark} aria-label={t.shell.product}>
        <Logo size={20} />
      </Link>
      <NamespaceMenu ns={ns} />
      <button type="button" className={css.search} onClick={() => overlay.set('palette')}>
        <Search size={14} aria-hidden="true" />
        <span>{t.shell.palette}</span>
        <kbd>{/mac|iphone|ipad/i.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div className={css.right}>
        <LivePill />
        <ZoneMenu />
        <DisplayMenu />
      </div>
    </header>
  );
}

function NamespaceMenu({ ns }: { ns: string }) {
  const t = useT();
  const navigate = useNavigate();
  const { data } = useQuery(namespacesQuery);
  const path = useRouterState({ select: (state) => state.matches.at(-1)?.routeId ?? '' });
  const names = data?.items.map((item) => item.name) ?? [];
  const label = ns === '-' ? t.shell.allNamespaces : ns;
  // The same page in the other namespace, where it is a list; else the jobs, as names differ.
  const page = /\$(job|run)/.test(path) || !path.includes('/ns/$ns') ? '/ns/$ns/jobs' : '.';
  const options = [...new Set([...names, ...(ns === '-' ? [] : [ns])])].sort();
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={css.ns} aria-label={`${t.shell.namespace}: ${label}`}>
          <span>{label}</span>
          <ChevronsUpDown size={13} aria-hidden="true" />
        </button>
      }
    >
      <MenuLabel>{t.shell.namespace}</MenuLabel>
      <MenuChoice value={ns} onChange={(next) => void navigate({ to: page, params: { ns: next } } as never)} options={options.map((name) => [name, name] as const)} />
      <MenuLine />
      <MenuChoice value={ns} onChange={(next) => void navigate({ to: page, params: { ns: next } } as never)} options={[['-', t.shell.allNamespaces]]} />
    </Menu>
  );
}

function ZoneMenu() {
  const t = useT();
  const [zone, setZone] = usePref('zone');
  const [userZone] = usePref('userZone');
  const mine = userZone || browserZone;
  const shown = zone === 'utc' ? 'UTC' : zone === 'job' ? t.shell.zoneJob : mine;
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={Globe} aria-label={`${t.shell.zone}: ${shown}`} className={css.zone}>
          <span>{shown}</span>
        </Button>
      }
    >
      <MenuLabel>{t.shell.zone}</MenuLabel>
      <MenuChoice<ZoneChoice>
        value={zone}
        onChange={setZone}
        options={[
          ['user', `${t.shell.zoneUser} · ${mine}`],
          ['job', t.shell.zoneJob],
          ['utc', t.shell.zoneUtc],
        ]}
      />
    </Menu>
  );
}

function DisplayMenu() {
  const t = useT();
  const [theme, setTheme] = usePref('theme');
  const [language, setLanguage] = usePref('language');
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await raw('DELETE', '/api/v1/session');
    } catch (error) {
      return toastError(t.errors.action(t.shell.signOut), error);
    }
    await navigate({ to: '/login' });
  };
  return (
    <Menu trigger={<IconButton label={t.shell.display} icon={SlidersHorizontal} tip={false} />}>
      <MenuLabel>{t.shell.theme}</MenuLabel>
      <MenuChoice<Theme>
        value={theme}
        onChange={setTheme}
        options={[
          ['system', t.shell.themeSystem],
          ['light', t.shell.themeLight],
          ['dark', t.shell.themeDark],
        ]}
      />
      <MenuLine />
      <MenuLabel>{t.shell.language}</MenuLabel>
      <MenuChoice<Language>
        value={language}
        onChange={setLanguage}
        options={[
          ['en', <span lang="en">English</span>],
          ['zh', <span lang="zh-CN">简体中文</span>],
        ]}
      />
      <MenuLine />
      <MenuItem icon={Keyboard} keys="?" onSelect={() => overlay.set('help')}>
        {t.shell.keyboardHelp}
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => void signOut()}>
        {t.shell.signOut}
      </MenuItem>
    </Menu>
  );
}
