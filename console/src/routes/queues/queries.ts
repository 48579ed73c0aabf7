import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';
import { quoted } from '@/lib/query';
import { type Run, fetchRuns } from '../runs/queries';

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

/** The run of a queue that is due longest, if one waits. */
export const oldestQuery = (queue: string, due: string | undefined) =>
  queryOptions({
    queryKey: ['queue-oldest', queue, due],
    queryFn: async ({ signal }): Promise<Run | null> => {
      const { items } = await fetchRuns('-', { q: `queue:${quoted(queue)} state:queued${due ? ` due<=${due}` : ''}` }, undefined, signal);
      return items.at(-1) ?? null;
    },
  });
