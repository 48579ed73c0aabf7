import { type ReactNode, useState } from 'react';
import { Button } from '@/components/Button';
import { type LatenessPart, Spread } from '@/components/Spread';
import { useFormats, useT } from '@/i18n';
import type { Dashboard } from './queries';
import css from './Dashboard.module.css';

const WIDTH = 600;
const HEIGHT = 120;

/** Joins the points of bars that have a value. */
function line(values: readonly (number | null | undefined)[], max: number): string {
  const step = WIDTH / Math.max(1, values.length);
  return values
    .flatMap((value, index) => (value == null ? [] : [`${((index + 0.5) * step).toFixed(1)},${(HEIGHT - scale(value, max) * HEIGHT).toFixed(1)}`]))
    .join(' ');
}

/** Lateness spans milliseconds to minutes: the axis is logarithmic. */
export function scale(value: number, max: number): number {
  return Math.log10(1 + Math.max(0, value)) / Math.log10(1 + Math.max(1, max));
}

/** How late handlers were entered: over time, or how many were how late. */
export function Lateness({ bars, spread }: { bars: Dashboard['series']; spread: readonly LatenessPart[] }) {
  const t = useT();
  const [asSpread, setAsSpread] = useState(false);
  const change = (
    <Button size="s" tone="quiet" onClick={() => setAsSpread(!asSpread)}>
      {asSpread ? t.dashboard.overTime : t.dashboard.asSpread}
    </Button>
  );
  return asSpread ? <Spread parts={spread} aside={change} /> : <OverTime bars={bars} aside={change} />;
}

function OverTime({ bars, aside }: { bars: Dashboard['series']; aside: ReactNode }) {
  const t = useT();
  const formats = useFormats();
  const max = Math.max(10, ...bars.map((bar) => bar.late_max_ms ?? 0));
  const last = bars.findLast((bar) => bar.late_max_ms != null);
  const series = [
    ['late_max_ms', t.dashboard.max, css.lineMax],
    ['late_p99_ms', t.dashboard.p99, css.lineP99],
    ['late_p50_ms', t.dashboard.p50, css.lineP50],
  ] as const;
  const words = series.map(([key, word]) => `${word} ${last?.[key] == null ? '—' : formats.duration(last[key])}`).join(', ');
  return (
    <figure className={css.figure}>
      <figcaption className={css.legend}>
        {series.map(([key, word, style]) => (
          <span key={key}>
            <i className={style} /> {word}
          </span>
        ))}
        {aside}
      </figcaption>
      <div className={css.plot}>
        <span className={css.axisMax}>{formats.duration(max)}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${t.dashboard.lateness}: ${words}`}>
          <line x1="0" x2={WIDTH} y1="0.5" y2="0.5" className={css.grid} />
          <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} className={css.grid} />
          {series.map(([key, , style]) => (
            <polyline key={key} points={line(bars.map((bar) => bar[key]), max)} className={style} />
          ))}
          <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={css.axis} />
        </svg>
      </div>
    </figure>
  );
}
