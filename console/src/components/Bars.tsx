import { type ReactNode, useId, useState } from 'react';
import { useT } from '@/i18n';
import type { State } from '@/states';
import { Button } from './Button';
import css from './Bars.module.css';

export interface BarPart {
  state: State;
  word: string;
}

export interface Bar {
  /** Of the bar, for the table and on hover. */
  label: string;
  values: readonly number[];
}

const WIDTH = 600;
const HEIGHT = 120;

/** A round number that is not less. */
export function niceMax(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(1, Math.ceil(step * power));
}

export interface StackedBarsProps {
  title: string;
  parts: readonly BarPart[];
  bars: readonly Bar[];
  from: ReactNode;
  to: ReactNode;
  aside?: ReactNode;
  /** Shows what a bar counts. */
  onOpen?: ((index: number) => void) | undefined;
}

/** Stacked bars over time, with a table for those who read better than they see, and for the keyboard. */
export function StackedBars({ title, parts, bars, from, to, aside, onOpen }: StackedBarsProps) {
  const t = useT();
  const id = useId();
  const [table, setTable] = useState(false);
  const max = niceMax(Math.max(0, ...bars.map((bar) => bar.values.reduce((sum, value) => sum + value, 0))));
  const step = WIDTH / Math.max(1, bars.length);
  const patternOf = (part: BarPart) => (part.state === 'failed' ? `url(#${id}-failed)` : undefined);
  return (
    <figure className={css.figure}>
      <figcaption className={css.legend}>
        {parts.map((part) => (
          <span key={part.state}>
            <i data-state-word={part.state} className={css.key} />
            {part.word}
          </span>
        ))}
        <Button size="s" tone="quiet" onClick={() => setTable(!table)}>
          {table ? t.common.viewAsChart : t.common.viewAsTable}
        </Button>
        {aside}
      </figcaption>
      {table ? (
        <div className={css.tableBox} tabIndex={0} role="region" aria-label={title}>
          <table className={css.table}>
            <thead>
              <tr>
                <td />
                {parts.map((part) => (
                  <th key={part.state} scope="col">
                    {part.word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map((bar, index) => (
                <tr key={bar.label}>
                  <th scope="row">
                    {onOpen ? (
                      <button type="button" className={css.open} onClick={() => onOpen(index)}>
                        {bar.label}
                      </button>
                    ) : (
                      bar.label
                    )}
                  </th>
                  {bar.values.map((value, part) => (
                    <td key={parts[part]?.state}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <>
          <div className={css.plot}>
            <span className={css.max}>{max}</span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
              <defs>
                <pattern id={`${id}-failed`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                  <rect width="4" height="4" className={css.failed} />
                  <rect width="1.2" height="4" className={css.hatch} />
                </pattern>
              </defs>
              <line x1="0" x2={WIDTH} y1="0.5" y2="0.5" className={css.grid} />
              <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} className={css.grid} />
              {bars.map((bar, index) => {
                let below = 0;
                const words = bar.values.map((value, part) => (value > 0 ? `${value} ${parts[part]?.word ?? ''}` : '')).filter(Boolean);
                return (
                  <g key={bar.label} className={onOpen ? css.opens : css.bar} onClick={onOpen && (() => onOpen(index))}>
                    <title>{`${bar.label}\n${words.join('\n') || '0'}`}</title>
                    <rect x={index * step} y={0} width={step} height={HEIGHT} className={css.target} />
                    {bar.values.map((value, part) => {
                      if (value === 0) return null;
                      const height = (value / max) * HEIGHT;
                      below += height;
                      const each = parts[part];
                      return (
                        <rect
                          key={each?.state}
                          data-state-word={each?.state}
                          className={css.part}
                          x={index * step + step * 0.12}
                          y={HEIGHT - below}
                          width={step * 0.76}
                          height={height}
                          fill={each && patternOf(each)}
                        />
                      );
                    })}
                  </g>
                );
              })}
              <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={css.axis} />
            </svg>
          </div>
          <div className={css.ends}>
            <span>{from}</span>
            <span>{to}</span>
          </div>
        </>
      )}
    </figure>
  );
}
