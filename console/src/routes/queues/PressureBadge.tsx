import { TrendingDown, TrendingUp } from 'lucide-react';
import { useFormats, useT } from '@/i18n';
import { aMinute, pressureOf } from './pressure';
import type { Queue } from './queries';
import css from './Queues.module.css';

/** Whether a queue fills up or empties, and how long it would take to drain. */
export function PressureBadge({ queue, short = false }: { queue: Queue; short?: boolean }) {
  const t = useT();
  const formats = useFormats();
  const pressure = pressureOf(queue);
  if (!pressure || !queue.lately) return null;
  const { arrived, left, drain_ms } = queue.lately;
  const Glyph = pressure === 'filling' ? TrendingUp : TrendingDown;
  const drain = drain_ms == null ? t.queues.drainsNever : t.queues.drainsIn(formats.duration(drain_ms));
  const words = `${t.queues.pressure[pressure]}: ${t.queues.perMinute(formats.number(aMinute(arrived)), formats.number(aMinute(left)))}. ${drain}`;
  return (
    <span className={css.pressure} data-pressure={pressure} title={words}>
      <Glyph size={13} aria-hidden="true" />
      {short ? t.queues.pressure[pressure] : words}
    </span>
  );
}
