import { useFormats, useT } from '@/i18n';
import type { Worker } from './queries';
import { CLOCK_WARN_MS } from './standing';
import css from './Workers.module.css';

/** How far the clock of a worker is ahead of the server's. */
export function ClockOffset({ worker }: { worker: Worker }) {
  const t = useT();
  const formats = useFormats();
  const offset = worker.clock_offset_ms;
  if (typeof offset !== 'number') return t.common.none;
  const off = Math.abs(offset) > CLOCK_WARN_MS;
  return (
    <span className={off ? css.off : undefined} title={off ? t.workers.clockOff : t.workers.clockText}>
      {offset > 0 ? '+' : ''}
      {formats.duration(offset)}
    </span>
  );
}
