import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type XxlApp = components['schemas']['XxlApp'];
export type XxlInstance = components['schemas']['XxlInstance'];

// Executors beat whenever they like: what is known of them is asked for with the beat of the stream.
export const appsQuery = queryOptions({
  queryKey: ['xxl-apps'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/xxl/apps', { signal })),
  meta: { topics: ['stats', 'workers'], every: 3000 },
});

export const instancesQuery = queryOptions({
  queryKey: ['xxl-instances'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/xxl/instances', { signal })),
  meta: { topics: ['stats', 'workers'], every: 3000 },
});
