import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Worker = components['schemas']['Worker'];
export type WorkerToken = components['schemas']['WorkerToken'];

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/workers', { signal })),
  meta: { topics: ['workers'], every: 2000 },
});

export const tokensQuery = queryOptions({
  queryKey: ['worker-tokens'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/worker-tokens', { signal })),
});
