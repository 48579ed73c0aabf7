import type { ReactNode } from 'react';
import type { components } from '@/api/schema';
import { type Formats, useFormats, useT } from '@/i18n';
import type { Dictionary } from '@/i18n';
import { StackedBars } from './Bars';
import css from './Plot.module.css';

export type LatenessPart = components['schemas']['LatenessPart'];

/** A bar for each part, told by its bounds: each is twice as far as the one before, so the axis is logarithmic. */
export function barsOf(parts: readonly LatenessPart[], t: Dictionary, formats: Pick<Formats, 'duration'>) {
  return parts.map(({ below_ms, count }) => {
    const to = formats.duration(below_ms);
    return { label: below_ms === 1 ? t.dashboard.below(to) : t.dashboard.between(formats.duration(below_ms / 2), to), values: [count] };
  });
}

/** How many handlers were how late. */
export function Spread({ parts, aside }: { parts: readonly LatenessPart[]; aside?: ReactNode }) {
  const t = useT();
  const formats = useFormats();
  const bars = barsOf(parts, t, formats);
  if (bars.length === 0) {
    return (
      <figure className={css.figure}>
        <figcaption className={css.legend}>
          {t.dashboard.noneEntered} {aside}
        </figcaption>
      </figure>
    );
  }
  return <StackedBars title={t.dashboard.asSpread} parts={[{ state: 'running', word: t.dashboard.entered }]} bars={bars} from="0" to={formats.duration(parts.at(-1)?.below_ms ?? 0)} aside={aside} />;
}
