import type { ReactNode } from 'react';
import css from './Lines.module.css';
import { HEIGHT, Plot, WIDTH, niceMax } from './Plot';

export interface Line {
  id: string;
  word: string;
  /** Of each point; absent where there is none. */
  values: readonly (number | null | undefined)[];
  look: 'first' | 'second' | 'dotted';
  /** Fills what is below. */
  area?: boolean;
}

export interface LinesProps {
  title: string;
  lines: readonly Line[];
  /** Of each point, for the table. */
  labels: readonly string[];
  format: (value: number) => string;
  from: ReactNode;
  to: ReactNode;
  /** For values from milliseconds to hours. */
  logarithmic?: boolean;
  /** In place of the chart where no line has a value. */
  empty: string;
  aside?: ReactNode;
  low?: boolean;
}

/** Where a value is between 0 and 1. */
export function heightOf(value: number, max: number, logarithmic: boolean): number {
  const least = Math.max(0, value);
  return logarithmic ? Math.log10(1 + least) / Math.log10(1 + Math.max(1, max)) : least / max;
}

/** The pieces of a line: it is broken where a point has no value. A piece of one point is as wide as its step. */
export function pieces(values: Line['values'], max: number, logarithmic: boolean): string[] {
  const step = WIDTH / Math.max(1, values.length);
  const found: string[][] = [[]];
  const at = (x: number, value: number) => `${x.toFixed(1)},${(HEIGHT - heightOf(value, max, logarithmic) * HEIGHT).toFixed(1)}`;
  values.forEach((value, index) => {
    if (value == null) {
      if (found.at(-1)?.length) found.push([]);
      return;
    }
    const alone = (index === 0 || values[index - 1] == null) && values[index + 1] == null;
    if (alone) found.at(-1)?.push(at(index * step, value), at((index + 1) * step, value));
    else found.at(-1)?.push(at((index + 0.5) * step, value));
  });
  return found.filter((points) => points.length > 0).map((points) => points.join(' '));
}

function closed(points: string): string {
  const all = points.split(' ');
  const x = (point: string | undefined) => point?.split(',')[0] ?? '0';
  return `${x(all[0])},${HEIGHT} ${points} ${x(all.at(-1))},${HEIGHT}`;
}

/** Lines over time. */
export function Lines({ title, lines, labels, format, from, to, logarithmic = false, empty, aside, low = false }: LinesProps) {
  const values = lines.flatMap((line) => line.values.filter((value) => value != null));
  if (values.length === 0) {
    return (
      <p className={css.empty}>
        {empty} {aside}
      </p>
    );
  }
  const most = Math.max(0, ...values);
  const max = logarithmic ? Math.max(10, most) : niceMax(most);
  const words = lines.map(({ word, values }) => `${word} ${format(values.findLast((value) => value != null) ?? 0)}`).join(', ');
  const series = lines.map(({ id, word, look }) => ({ id, word, mark: <i className={css.key} data-look={look} /> }));
  const rows = labels.map((label, index) => ({ label, values: lines.map(({ values }) => (values[index] == null ? '—' : format(values[index]))) }));
  return (
    <Plot title={title} words={`${title}: ${words}`} series={series} rows={rows} max={format(max)} from={from} to={to} aside={aside} low={low}>
      {lines.map((line) =>
        pieces(line.values, max, logarithmic).map((points) => (
          <g key={`${line.id} ${points}`} data-look={line.look} className={css.line}>
            {line.area && <polygon points={closed(points)} />}
            <polyline points={points} />
          </g>
        )),
      )}
    </Plot>
  );
}

/** A few numbers as a small line, beside their words in a table. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const step = values.length > 1 ? 60 / (values.length - 1) : 60;
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(16 - (value / max) * 14).toFixed(1)}`).join(' ');
  return (
    <svg className={css.spark} viewBox="0 0 60 18" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <polygon points={`0,17 ${points} 60,17`} />
      <polyline points={points} />
    </svg>
  );
}
