import { queryOptions } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import type { components } from '@/api/schema';
import { quoted } from '@/lib/query';
import { type RunList, runsPath } from '../runs/queries';

export type Worker = components['schemas']['Worker'];
export type WorkerToken = components['schemas']['WorkerToken'];

/** The figures come once a second and bring the heartbeats with them: a worker that only renews changes nothing else. */
export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/workers', { signal })),
  meta: { topics: ['workers', 'stats'], every: 2000 },
});

export const tokensQuery = queryOptions({
  queryKey: ['worker-tokens'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/worker-tokens', { signal })),
});

/** Runs that a worker executes at most, in the list of its page. */
export const RUNNING_MAX = 1000;

/** The search for the runs of a worker. Names with an asterisk do not exist, so that none stands for more. */
export function runsOf(worker: string): string {
  return `worker:${quoted(worker)}`;
}

/** What a worker executes now, in all namespaces, with the runs of tasks. */
export const workerRunsQuery = (worker: string) =>
  queryOptions({
    queryKey: ['worker-runs', worker],
    queryFn: ({ signal }) => raw<RunList>('GET', `${runsPath('-', { q: `${runsOf(worker)} state:running`, tasks: 'true' })}&limit=${RUNNING_MAX}`, undefined, signal),
    meta: { topics: ['workers', 'runs', 'stats'], every: 2000 },
  });
