import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Node = components['schemas']['Node'];
export type Cluster = components['schemas']['Cluster'];
export type NodeLateness = components['schemas']['NodeLateness'];

export const clusterQuery = queryOptions({
  queryKey: ['cluster'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/cluster', { signal })),
  meta: { topics: ['cluster', 'stats'], every: 2000 },
});

export const latenessQuery = queryOptions({
  queryKey: ['cluster-lateness'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/cluster/lateness', { signal })),
  meta: { topics: ['stats'], every: 5000 },
});
