import { raw } from '@/api/client';
import type { components } from '@/api/schema';

export type Run = components['schemas']['Run'];

export interface RunSearch {
  q?: string | undefined;
  /** Of one job, by its whole name. */
  job?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface RunList {
  items: Run[];
  next_cursor?: string | null;
}

export const PAGE = 100;

/** A page of runs, newest first. */
export function fetchRuns(ns: string, search: RunSearch, cursor: string | undefined, signal: AbortSignal): Promise<RunList> {
  const params = new URLSearchParams({ limit: String(PAGE) });
  for (const [key, value] of Object.entries({ ...search, cursor })) if (value) params.set(key, value);
  return raw<RunList>('GET', `/api/v1/namespaces/${encodeURIComponent(ns)}/runs?${params}`, undefined, signal);
}
