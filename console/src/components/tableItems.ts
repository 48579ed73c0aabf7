/** What the lines of a table are: rows, or groups with the rows of those that are open. Pure. */
import type { ReactNode } from 'react';

/** Rows that belong together, under a line that opens and closes them. */
export interface RowGroup<R> {
  key: string;
  /** Heading, in words. */
  name: string;
  /** The heading as it is shown; the name when absent. */
  label?: ReactNode;
  /** How many rows there are in all, as it is shown. */
  count: ReactNode;
  open: boolean;
  onToggle: () => void;
  /** What can be done with all of it. */
  aside?: ReactNode;
  rows: readonly R[];
  /** Below its rows: that they are on their way, or that there are more. */
  note?: ReactNode;
}

export type Item<R> = { kind: 'row'; row: R } | { kind: 'group'; group: RowGroup<R> } | { kind: 'note'; group: RowGroup<R> };

export function itemsOf<R>(rows: readonly R[], groups: readonly RowGroup<R>[] | undefined): Item<R>[] {
  const asItem = (row: R): Item<R> => ({ kind: 'row', row });
  if (!groups) return rows.map(asItem);
  return groups.flatMap((group): Item<R>[] => [{ kind: 'group', group }, ...(group.open ? [...group.rows.map(asItem), ...(group.note ? [{ kind: 'note' as const, group }] : [])] : [])]);
}

/** The next line that is a row, from one on in a direction; the same line where there is none. */
export function nextRow<R>(items: readonly Item<R>[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < items.length; at += step) if (items[at]?.kind === 'row') return at;
  return from;
}
