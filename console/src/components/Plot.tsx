import { type ReactNode, useState } from 'react';
import { useT } from '@/i18n';
import { Button } from './Button';
import css from './Plot.module.css';

/** The size of what is drawn; it is stretched to the room that there is. */
export const WIDTH = 600;
export const HEIGHT = 120;

/** A round number that is not less. */
export function niceMax(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(1, Math.ceil(step * power));
}

export interface PlotSeries {
  id: string;
  word: string;
  /** How the chart draws it. */
  mark: ReactNode;
}

export interface PlotRow {
  label: string;
  values: readonly ReactNode[];
}

export interface PlotProps {
  /** Of the table. */
  title: string;
  /** What the drawing says to those who do not see it; the title if absent. */
  words?: string;
  series: readonly PlotSeries[];
  rows: readonly PlotRow[];
  /** What the top of the chart stands for. */
  max: ReactNode;
  from: ReactNode;
  to: ReactNode;
  aside?: ReactNode;
  /** Lower than others: for a chart that others stand below. */
  low?: boolean;
  /** Shows what a row counts. */
  onOpen?: ((index: number) => void) | undefined;
  /** The drawing, between its grid and its axis. */
  children: ReactNode;
}

/** The frame of a chart over time: its legend, its ends, and the same as a table for those who read better than they see, and for the keyboard. */
export function Plot({ title, words = title, series, rows, max, from, to, aside, low = false, onOpen, children }: PlotProps) {
  const t = useT();
  const [table, setTable] = useState(false);
  return (
    <figure className={css.figure}>
      <figcaption className={css.legend}>
        {series.map(({ id, mark, word }) => (
          <span key={id}>
            {mark}
            {word}
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
                {series.map(({ id, word }) => (
                  <th key={id} scope="col">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ label, values }, index) => (
                <tr key={label}>
                  <th scope="row">
                    {onOpen ? (
                      <button type="button" className={css.open} onClick={() => onOpen(index)}>
                        {label}
                      </button>
                    ) : (
                      label
                    )}
                  </th>
                  {series.map(({ id }, column) => (
                    <td key={id}>{values[column]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <>
          <div className={css.plot} data-low={low || undefined}>
            <span className={css.max}>{max}</span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
              <line x1="0" x2={WIDTH} y1="0.5" y2="0.5" className={css.grid} />
              <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} className={css.grid} />
              {children}
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
