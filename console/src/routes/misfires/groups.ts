/** Misfires of a list in groups. Only those that are shown are counted. Pure. */
import type { Misfire } from './queries';

export const MISFIRE_GROUPS = ['policy', 'cause', 'outcome', 'job'] as const;
export type MisfireGroupBy = (typeof MISFIRE_GROUPS)[number];

export interface MisfireGroup<R> {
  value: string;
  /** Instants of all its rows. */
  instants: number;
  rows: R[];
}

type Keyed = Pick<Misfire, MisfireGroupBy | 'count' | 'namespace'>;

/** Groups rows by a word: the one of the newest row first, and rows of a group in the order that they have. `ns` is `-` where jobs need their namespace. */
export function groupsOf<R extends Keyed>(rows: readonly R[], by: MisfireGroupBy, ns: string): MisfireGroup<R>[] {
  const found = new Map<string, MisfireGroup<R>>();
  for (const row of rows) {
    const value = by === 'job' && ns === '-' ? `${row.namespace}/${row.job}` : row[by];
    const group = found.get(value) ?? { value, instants: 0, rows: [] };
    group.rows.push(row);
    group.instants += row.count;
    found.set(value, group);
  }
  return [...found.values()];
}
