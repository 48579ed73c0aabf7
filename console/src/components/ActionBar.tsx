import { Ellipsis, type LucideIcon, SquareTerminal } from 'lucide-react';
import { useT } from '@/i18n';
import { type Commands, asText } from '@/lib/commands';
import { useKeys } from '@/lib/keys';
import css from './ActionBar.module.css';
import { Button, IconButton } from './Button';
import { useCopy } from './Copy';
import { Menu, MenuItem, MenuLabel, MenuLine, MenuSub } from './Menu';

/** Something that can be done to what the page shows. */
export interface Action {
  id: string;
  label: string;
  icon: LucideIcon;
  run: () => void;
  /** The same for the command line and for curl: one command, or some, each on a line of its own. What is only of this page says so. */
  command: Commands | 'local';
  tone?: 'plain' | 'primary' | 'danger';
  /** A key for it. */
  keys?: string;
  /** Why it cannot be done; it is shown all the same. */
  disabledReason?: string | undefined;
  busy?: boolean;
  /** In the menu even where there is room. */
  hidden?: boolean;
}

/** The actions of a page: the first ones as buttons, the rest and the copies in a menu. */
export function ActionBar({ actions }: { actions: readonly Action[] }) {
  const t = useT();
  const copy = useCopy();
  useKeys(
    actions.flatMap((action) =>
      action.keys && action.disabledReason === undefined
        ? [{ keys: action.keys, label: action.label, group: t.shell.groupPage, run: action.run }]
        : [],
    ),
  );
  const inMenu = actions.filter((action) => action.hidden);
  const copies = (how: 'cli' | 'curl') => actions.map(({ id, label, command }) => ({ id, label, text: command === 'local' ? '' : asText(command, how) })).filter(({ text }) => text !== '');
  const [clis, curls] = [copies('cli'), copies('curl')];
  return (
    <div className={css.bar} role="group">
      {actions
        .filter((action) => !action.hidden)
        .map((action) => (
          <Button key={action.id} icon={action.icon} tone={action.tone ?? 'plain'} onClick={action.run} disabledReason={action.disabledReason} busy={action.busy ?? false}>
            {action.label}
          </Button>
        ))}
      {(inMenu.length > 0 || curls.length > 0) && (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tone="plain" tip={false} />}>
          {inMenu.map((action) => (
            <MenuItem key={action.id} icon={action.icon} onSelect={action.run} keys={action.keys} tone={action.tone === 'danger' ? 'danger' : 'plain'} disabledReason={action.disabledReason}>
              {action.label}
            </MenuItem>
          ))}
          {inMenu.length > 0 && curls.length > 0 && <MenuLine />}
          {[
            { word: t.common.copyCli, texts: clis },
            { word: t.common.copyCurl, texts: curls },
          ].map(
            ({ word, texts }) =>
              texts.length > 0 && (
                <MenuSub key={word} label={word} icon={SquareTerminal}>
                  {texts.map(({ id, label, text }) => (
                    <MenuItem key={id} onSelect={() => copy(text)}>
                      {label}
                    </MenuItem>
                  ))}
                </MenuSub>
              ),
          )}
        </Menu>
      )}
    </div>
  );
}

/** The two copies behind a button, for a dialog: of what stands in its form. */
export function CopyMenu({ command, ready }: { command: Commands; ready: boolean }) {
  const t = useT();
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={SquareTerminal} disabled={!ready}>
          {t.common.copyCommand}
        </Button>
      }
    >
      <CopyItems command={command} />
    </Menu>
  );
}

/** The two copies behind three dots, beside a button that stands alone in a row. */
export function CopyMore({ of, command }: { of: string; command: Commands }) {
  const t = useT();
  return (
    <Menu trigger={<IconButton label={`${t.common.moreActions}: ${of}`} icon={Ellipsis} tip={false} />}>
      <CopyItems command={command} />
    </Menu>
  );
}

/** The two copies as menu items, for an action that stands alone. */
export function CopyItems({ command }: { command: Commands }) {
  const t = useT();
  const copy = useCopy();
  const cli = asText(command, 'cli');
  return (
    <>
      <MenuLabel>{t.common.copy}</MenuLabel>
      {cli && (
        <MenuItem icon={SquareTerminal} onSelect={() => copy(cli)}>
          {t.common.copyCli}
        </MenuItem>
      )}
      <MenuItem icon={SquareTerminal} onSelect={() => copy(asText(command, 'curl'))}>
        {t.common.copyCurl}
      </MenuItem>
    </>
  );
}
