import { raw } from '@/api/client';
import type { components } from '@/api/schema';

export type Run = components['schemas']['Run'];

export interface RunSearch {
  q?: string | undefined;
  /** Of one job, by its whole name. */
  job?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** `true`: with the runs of tasks. */
  tasks?: 'true' | undefined;
}

export interface RunList {
  items: Run[];
  next_cursor?: string | null;
}

export const PAGE = 100;

/** Path of the list, to which more parameters can be added. */
export function runsPath(ns: string, search: RunSearch): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/runs?${new URLSearchParams(given)}`;
}

/** A page of runs, newest first. */
export function fetchRuns(ns: string, search: RunSearch, cursor: string | undefined, signal: AbortSignal): Promise<RunList> {
  return raw<RunList>('GET', `${runsPath(ns, search)}&limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`, undefined, signal);
}
