import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import { serverNow } from '@/lib/clock';
import { rangeMs } from './model';
import type { ranges } from './routes';

export type Range = (typeof ranges)[number];

/** Runs that are looked at: more would make the page slow. Says so when there are more. */
const RUNS_MAX = 1000;
/** Fires of the next hour that are looked at. */
export const FIRES_MAX = 1000;

export interface RunsSeen {
  runs: Awaited<ReturnType<typeof fetchRuns>>['items'];
  /** From when on all runs are among them. */
  from: number;
  /** Whether the range has more. */
  cut: boolean;
}

function fetchRuns(namespace: string, from: number, signal: AbortSignal) {
  return ask(
    api.GET('/api/v1/namespaces/{namespace}/runs', {
      params: { path: { namespace }, query: { from: new Date(from).toISOString(), limit: RUNS_MAX } },
      signal,
    }),
  );
}

export function runsInRangeQuery(namespace: string, range: Range) {
  return queryOptions({
    queryKey: ['dashboard-runs', namespace, range],
    queryFn: async ({ signal }): Promise<RunsSeen> => {
      const from = serverNow() - rangeMs[range];
      const page = await fetchRuns(namespace, from, signal);
      const cut = page.next_cursor != null;
      const oldest = Date.parse(page.items.at(-1)?.created_at ?? '');
      return { runs: page.items, from: cut && Number.isFinite(oldest) ? oldest : from, cut };
    },
    placeholderData: keepPreviousData,
    meta: { topics: ['runs'], every: 5000 },
  });
}

export function nextHourQuery(namespace: string) {
  return queryOptions({
    queryKey: ['next-hour', namespace],
    queryFn: ({ signal }) => {
      const until = new Date(serverNow() + 3_600_000).toISOString();
      return ask(api.GET('/api/v1/next', { params: { query: { namespace, until, limit: FIRES_MAX } }, signal }));
    },
    meta: { topics: ['runs', 'jobs'], every: 15_000 },
  });
}
