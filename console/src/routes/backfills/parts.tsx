import { Progress } from '@/components/Progress';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { type State, asState } from '@/states';
import css from './Backfills.module.css';
import type { Backfill } from './queries';

const states: Record<string, State> = { active: 'running', paused: 'waiting', cancelled: 'cancelled', completed: 'succeeded' };

export function BackfillBadge({ backfill, strong = false }: { backfill: Pick<Backfill, 'state' | 'items'>; strong?: boolean }) {
  const t = useT();
  const failed = backfill.state === 'completed' && backfill.items.failed > 0;
  return <StateBadge strong={strong} state={failed ? 'failed' : (states[backfill.state] ?? 'waiting')} word={failed ? t.backfills.withFailures : (t.backfills.states[backfill.state as keyof typeof t.backfills.states] ?? backfill.state)} />;
}

/** How much of a backfill has ended, and how. */
export function BackfillProgress({ backfill: { items } }: { backfill: Backfill }) {
  const t = useT();
  const formats = useFormats();
  const done = items.succeeded + items.skipped + items.cancelled;
  const label = t.backfills.doneOf(formats.number(done + items.failed), formats.number(items.total));
  return (
    <span className={css.progress}>
      <Progress label={label} done={done} failed={items.failed} total={items.total} />
      <span>{label}</span>
    </span>
  );
}

/** The word of an item's state. */
export function ItemBadge({ state }: { state: string }) {
  const t = useT();
  return state === 'open' ? <StateBadge state="scheduled" word={t.backfills.open} /> : <StateBadge state={asState(state)} />;
}
