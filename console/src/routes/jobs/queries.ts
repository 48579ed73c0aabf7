import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';
import { type JobFilter } from './query';

export type Job = components['schemas']['Job'];
export type Trigger = components['schemas']['Trigger'];
export type Run = components['schemas']['Run'];

const PAGE = 100;
/** Runs and triggers that are looked through for what stands beside the jobs. */
const BESIDE = 500;

export function jobsQuery(namespace: string, filter: JobFilter) {
  return infiniteQueryOptions({
    queryKey: ['jobs', namespace, filter],
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/api/v1/namespaces/{namespace}/jobs', {
          params: { path: { namespace }, query: { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    meta: { topics: ['jobs', 'runs'], every: 2000 },
  });
}

/** The newest runs of a namespace, by job: what the strips show. */
export function recentRunsQuery(namespace: string) {
  return queryOptions({
    queryKey: ['recent-runs', namespace],
    queryFn: async ({ signal }) => {
      const page = await ask(
        api.GET('/api/v1/namespaces/{namespace}/runs', { params: { path: { namespace }, query: { limit: BESIDE } }, signal }),
      );
      return groupBy(page.items, (run) => run.job);
    },
    meta: { topics: ['runs'], every: 5000 },
  });
}

/** When jobs fire, in the server's words. */
export function triggersQuery(namespace: string) {
  return queryOptions({
    queryKey: ['triggers', namespace],
    queryFn: async ({ signal }) => {
      const page = await ask(
        api.GET('/api/v1/namespaces/{namespace}/triggers', { params: { path: { namespace }, query: { limit: BESIDE } }, signal }),
      );
      return groupBy(page.items, (trigger) => trigger.job);
    },
    meta: { topics: ['jobs'], every: 10_000 },
  });
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
