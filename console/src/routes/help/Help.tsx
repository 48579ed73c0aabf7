import { Dialog } from '@/components/Dialog';
import { useT } from '@/i18n';
import { bindings } from '@/lib/keys';
import { overlay } from '@/lib/overlays';
import { usePref } from '@/lib/prefs';
import { useStore } from '@/lib/store';
import css from './Help.module.css';
import { groupsOf } from './groups';

/** The keys that act on what is on screen, by where they act. */
export function Help() {
  const t = useT();
  const all = useStore(bindings);
  const [singleKeys] = usePref('singleKeys');
  return (
    <Dialog open onClose={() => overlay.set(undefined)} title={t.shell.keyboardHelp} description={singleKeys ? t.help.text : t.help.off} width="l">
      <div className={css.groups}>
        {groupsOf(all).map(([group, keys]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys.map((binding) => (
                <div key={binding.keys}>
                  <dt>
                    {binding.keys.split(' ').map((part, index) => (
                      <span key={part}>
                        {index > 0 && <small> {t.help.then} </small>}
                        {part.split('-').map((each) => (
                          <kbd key={each}>{each === 'mod' ? 'Ctrl' : each === 'shift' ? 'Shift' : each}</kbd>
                        ))}
                      </span>
                    ))}
                  </dt>
                  <dd>{binding.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
