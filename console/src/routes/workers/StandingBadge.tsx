import { CircleCheck, CircleDashed, CirclePause, CircleSlash, CircleX, type LucideIcon } from 'lucide-react';
import { useT } from '@/i18n';
import type { Standing } from './standing';
import css from './Workers.module.css';

const glyphs: Record<Standing, LucideIcon> = { ready: CircleCheck, full: CircleDashed, draining: CirclePause, drained: CirclePause, silent: CircleX, gone: CircleSlash };

/** How a worker stands, as icon and word. */
export function StandingBadge({ standing }: { standing: Standing }) {
  const t = useT();
  const Glyph = glyphs[standing];
  return (
    <span className={css.standing} data-standing={standing}>
      <Glyph size={14} aria-hidden="true" /> {t.workers.standings[standing]}
    </span>
  );
}
