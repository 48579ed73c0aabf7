/** Runs of a list in groups. They are never counted beyond those that are shown: that would read history. Pure. */
import { quoted } from '@/lib/query';
import type { Run } from './queries';

/** Not by state: rows would move from group to group under the reader. */
export const RUN_GROUPS = ['job', 'queue', 'namespace'] as const;
export type RunGroupBy = (typeof RUN_GROUPS)[number];

export interface Bunch<R> {
  value: string;
  rows: R[];
  /** Finds its runs. */
  q: string;
}

type Keyed = Pick<Run, RunGroupBy>;

/** Groups rows by a field: the one of the newest run first, and rows of a group in the order that they have. */
export function bunches<R extends Keyed>(rows: readonly R[], by: RunGroupBy, q: string): Bunch<R>[] {
  const found = new Map<string, Bunch<R>>();
  for (const row of rows) {
    const value = row[by];
    const there = found.get(value);
    if (there) there.rows.push(row);
    else found.set(value, { value, rows: [row], q: `${q} ${by}:${quoted(value)}`.trim() });
  }
  return [...found.values()];
}
