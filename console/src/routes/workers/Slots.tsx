import { useFormats, useT } from '@/i18n';
import type { Worker } from './queries';
import css from './Workers.module.css';

/** How many slots of a worker are in use. */
export function Slots({ worker }: { worker: Worker }) {
  const t = useT();
  const formats = useFormats();
  return (
    <span className={css.slots}>
      <meter min={0} max={worker.slots} value={worker.running} aria-label={t.workers.slots} />
      {t.workers.slotsOf(formats.number(worker.running), formats.number(worker.slots))}
    </span>
  );
}
