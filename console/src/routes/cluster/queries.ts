import { queryOptions } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import type { components } from '@/api/schema';
import { quoted } from '@/lib/query';
import { type RunList, runsPath } from '../runs/queries';

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

export type ShardOwner = components['schemas']['ShardOwner'];
export type ShardMove = components['schemas']['ShardMove'];

/** Since when each shard has its owner. */
export const ownersQuery = queryOptions({
  queryKey: ['cluster-shards'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/cluster/shards', { signal })),
  meta: { topics: ['cluster'], every: 2000 },
});

/** Which shards came from where, and when. */
export const movesQuery = queryOptions({
  queryKey: ['cluster-moves'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/cluster/moves', { signal })),
  meta: { topics: ['cluster'], every: 2000 },
});

/** Runs that a node executes at most, in the list of its page. */
const RUNNING_MAX = 1000;

/** The search for the runs of a node. */
export function runsOfNode(node: string): string {
  return `node:${quoted(node)}`;
}

/** What a node executes now, in all namespaces, with the runs of tasks. */
export const nodeRunsQuery = (node: string) =>
  queryOptions({
    queryKey: ['node-runs', node],
    queryFn: ({ signal }) => raw<RunList>('GET', `${runsPath('-', { q: `${runsOfNode(node)} state:running`, tasks: 'true' })}&limit=${RUNNING_MAX}`, undefined, signal),
    meta: { topics: ['runs', 'stats'], every: 2000 },
  });
