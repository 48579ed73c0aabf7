import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';
import { serverNow } from '@/lib/clock';
import { quoted } from '@/lib/query';
import { fetchRuns } from '../runs/queries';
import type { queueRanges } from './routes';

export type Queue = components['schemas']['Queue'];
export type QueueSettings = components['schemas']['QueueSettings'];
export type QueueHistory = components['schemas']['QueueHistory'];
export type QueueWaiting = components['schemas']['QueueWaiting'];
export type QueueReason = components['schemas']['QueueReason'];
export type QueueChange = components['schemas']['QueueChange'];
export type QueuePreview = components['schemas']['QueuePreview'];
export type LabelLimit = components['schemas']['LabelLimit'];
export type QueueRange = (typeof queueRanges)[number];

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/queues', { signal })),
  meta: { topics: ['queues', 'runs'], every: 2000 },
});

export const queueQuery = (queue: string) =>
  queryOptions({
    queryKey: ['queues', queue],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/queues/{queue}', { params: { path: { queue } }, signal })),
    meta: { topics: ['queues', 'runs'], every: 2000 },
  });

/** How long a range is, and each of its points, in milliseconds. */
const lengths: Record<QueueRange, readonly [length: number, step: number]> = {
  '1h': [3_600_000, 60_000],
  '6h': [6 * 3_600_000, 5 * 60_000],
  '24h': [24 * 3_600_000, 15 * 60_000],
  '7d': [7 * 86_400_000, 2 * 3_600_000],
  '30d': [30 * 86_400_000, 6 * 3_600_000],
};

export const historyQuery = (queue: string, range: QueueRange) =>
  queryOptions({
    queryKey: ['queue-history', queue, range],
    queryFn: ({ signal }) => {
      const [length, step] = lengths[range];
      // The first point is whole, and the last one is the present.
      const from = new Date(Math.floor(serverNow() / step) * step - length + step).toISOString();
      return ask(api.GET('/api/v1/queues/{queue}/history', { params: { path: { queue }, query: { from, step_ms: step } }, signal }));
    },
    meta: { topics: ['queues', 'runs'], every: 10_000 },
  });

export const waitingQuery = (queue: string) =>
  queryOptions({
    queryKey: ['queue-waiting', queue],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/queues/{queue}/waiting', { params: { path: { queue } }, signal })),
    meta: { topics: ['queues', 'runs', 'workers'], every: 2000 },
  });

/** What people have changed about a queue lately. */
export const changesQuery = (queue: string) =>
  queryOptions({
    queryKey: ['queue-changes', queue],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/queues/{queue}/changes', { params: { path: { queue }, query: { limit: 20 } }, signal })),
    meta: { topics: ['queues', 'runs'], every: 2000 },
  });

/** What other limits of a queue would do. */
export const previewQuery = (queue: string, settings: QueueSettings) =>
  queryOptions({
    queryKey: ['queue-preview', queue, settings],
    queryFn: ({ signal }) => ask(api.POST('/api/v1/queues/{queue}/preview', { params: { path: { queue } }, body: settings, signal })),
    meta: { topics: ['queues', 'runs'], every: 2000 },
  });

/** What of a queue is executed now. */
export const runningQuery = (queue: string) =>
  queryOptions({
    queryKey: ['queue-running', queue],
    queryFn: ({ signal }) => fetchRuns('-', { q: `queue:${quoted(queue)} state:running`, tasks: 'true' }, undefined, signal),
    meta: { topics: ['runs'], every: 1000 },
  });

export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/labels', { signal })),
  meta: { topics: ['queues', 'runs'], every: 2000 },
});
