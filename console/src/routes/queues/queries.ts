import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Queue = components['schemas']['Queue'];
export type QueueSettings = components['schemas']['QueueSettings'];
export type LabelLimit = components['schemas']['LabelLimit'];

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/queues', { signal })),
  meta: { topics: ['queues', 'runs'], every: 2000 },
});

export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/labels', { signal })),
  meta: { topics: ['queues', 'runs'], every: 2000 },
});
