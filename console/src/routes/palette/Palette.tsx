import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from '@/components/Dialog';
import { useNamespace } from '@/frame/namespace';
import { useT } from '@/i18n';
import { overlay } from '@/lib/overlays';
import { nav } from '@/nav';

/** Goes anywhere by name. */
export function Palette() {
  const t = useT();
  const ns = useNamespace();
  const navigate = useNavigate();
  const close = () => overlay.set(undefined);
  return (
    <Dialog open onClose={close} title={t.shell.paletteKey}>
      <Command label={t.shell.paletteKey}>
        <Command.Input placeholder={t.shell.palette} />
        <Command.List>
          {nav.flat().map((entry) => (
            <Command.Item
              key={entry.to}
              onSelect={() => {
                close();
                void navigate({ to: entry.to, params: { ns } } as never);
              }}
            >
              {String(t.shell[entry.word])}
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
