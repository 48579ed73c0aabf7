/** Runs of a list in groups. They are never counted beyond those that are shown: that would read history. Pure. */
import { quoted } from '@/lib/query';
import type { Run } from './queries';

/** Not by state: rows would move from group to group under the reader. */
export const RUN_GROUPS = ['job', 'queue', 'worker', 'node', 'namespace'] as const;
export type RunGroupBy = (typeof RUN_GROUPS)[number];

export interface Bunch<R> {
  /** Absent: runs that have none. */
  value: string | undefined;
  rows: R[];
  /** Finds its runs. */
  q: string;
}

type Keyed = Pick<Run, 'job' | 'queue' | 'namespace'> & Partial<Pick<Run, 'worker' | 'node'>>;

/** Groups rows by a field: the one of the newest run first, and rows of a group in the order that they have. */
export function bunches<R extends Keyed>(rows: readonly R[], by: RunGroupBy, q: string): Bunch<R>[] {
  const found = new Map<string | undefined, Bunch<R>>();
  for (const row of rows) {
    const value: string | undefined = row[by] ?? undefined;
    const there = found.get(value);
    if (there) there.rows.push(row);
    else found.set(value, { value, rows: [row], q: `${q} ${value === undefined ? `-${by}:*` : `${by}:${quoted(value)}`}`.trim() });
  }
  return [...found.values()];
}
