import { Dialog } from '@/components/Dialog';
import { useT } from '@/i18n';
import { bindings } from '@/lib/keys';
import { overlay } from '@/lib/overlays';
import { useStore } from '@/lib/store';

/** The keys that act on what is on screen. */
export function Help() {
  const t = useT();
  const all = useStore(bindings);
  return (
    <Dialog open onClose={() => overlay.set(undefined)} title={t.shell.keyboardHelp}>
      <dl>
        {all.map((binding) => (
          <div key={binding.keys}>
            <dt>
              <kbd>{binding.keys}</kbd>
            </dt>
            <dd>{binding.label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
