import { useFormats, useT } from '@/i18n';
import css from './Cluster.module.css';
import type { Node } from './queries';

const CLOCK_WARN_MS = 500;

/** How far the clock of a node is ahead of the database's. */
export function ClockOf({ node: { clock_offset_ms: offset } }: { node: Node }) {
  const t = useT();
  const formats = useFormats();
  if (typeof offset !== 'number') return t.common.none;
  return (
    <span className={Math.abs(offset) > CLOCK_WARN_MS ? css.bad : undefined} title={t.cluster.clockWarn}>
      {offset > 0 ? '+' : ''}
      {formats.duration(offset)}
    </span>
  );
}
