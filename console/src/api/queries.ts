import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client';

/** Queries that more than one page uses. */
export const namespacesQuery = queryOptions({
  queryKey: ['namespaces'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces', { params: { query: { limit: 500 } }, signal })),
  staleTime: 60_000,
});

export const infoQuery = queryOptions({
  queryKey: ['info'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/info', { signal })),
  staleTime: 300_000,
});
