import { Link } from '@tanstack/react-router';
import { Ellipsis, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { IconButton } from '@/components/Button';
import { Logo } from '@/components/Logo';
import { Menu, MenuItem } from '@/components/Menu';
import { Tooltip } from '@/components/Tooltip';
import { useT } from '@/i18n';
import { usePref } from '@/lib/prefs';
import { router } from '@/router';
import { type NavEntry, nav } from '@/nav';
import css from './Rail.module.css';

function NavLink({ entry, ns, collapsed }: { entry: NavEntry; ns: string; collapsed: boolean }) {
  const t = useT();
  const word = String(t.shell[entry.word]);
  const link = (
    <Link
      to={entry.to as never}
      params={{ ns } as never}
      className={css.link}
      activeProps={{ 'data-active': true, 'aria-current': 'page' } as never}
      activeOptions={{ exact: entry.to === '/ns/$ns', includeSearch: false }}
      aria-label={collapsed ? word : undefined}
    >
      <entry.icon size={17} strokeWidth={1.7} aria-hidden="true" />
      {!collapsed && <span>{word}</span>}
      {entry.badge && <entry.badge ns={ns} />}
    </Link>
  );
  return collapsed ? (
    <Tooltip text={word} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

/** The pages, at the left of wide windows. */
export function Rail({ ns }: { ns: string }) {
  const t = useT();
  const [collapsed, setCollapsed] = usePref('railCollapsed');
  return (
    <nav className={css.rail} data-collapsed={collapsed || undefined} aria-label={t.shell.mainNav}>
      <Link to="/" className={css.brand} aria-label={t.shell.product}>
        <Logo />
        {!collapsed && <span>mainspring</span>}
      </Link>
      <div className={css.groups}>
        {nav.map((group, index) => (
          <ul key={index}>
            {group.map((entry) => (
              <li key={entry.to}>
                <NavLink entry={entry} ns={ns} collapsed={collapsed} />
              </li>
            ))}
          </ul>
        ))}
      </div>
      <div className={css.foot}>
        <IconButton
          label={collapsed ? t.shell.expand : t.shell.collapse}
          icon={collapsed ? PanelLeftOpen : PanelLeftClose}
          onClick={() => setCollapsed(!collapsed)}
        />
      </div>
    </nav>
  );
}

/** The pages, at the bottom of phones: the ones for triage, and the rest in a menu. */
export function BottomBar({ ns }: { ns: string }) {
  const t = useT();
  const entries = nav.flat();
  return (
    <nav className={css.bottom} aria-label={t.shell.mainNav}>
      {entries
        .filter((entry) => entry.phone)
        .map((entry) => (
          <NavLink key={entry.to} entry={entry} ns={ns} collapsed={false} />
        ))}
      <Menu
        trigger={
          <button type="button" className={css.link}>
            <Ellipsis size={17} strokeWidth={1.7} aria-hidden="true" />
            <span>{t.shell.moreNav}</span>
          </button>
        }
      >
        {entries
          .filter((entry) => !entry.phone)
          .map((entry) => (
            <MenuItem key={entry.to} icon={entry.icon} onSelect={() => void router.navigate({ to: entry.to, params: { ns } } as never)}>
              {String(t.shell[entry.word])}
            </MenuItem>
          ))}
      </Menu>
    </nav>
  );
}
