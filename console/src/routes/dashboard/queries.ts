import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import type { components } from '@/api/schema';
import type { ranges } from './routes';

export type Dashboard = components['schemas']['Dashboard'];
export type Range = (typeof ranges)[number];

/** The whole at a glance, from the server's rollups. */
export const dashboardQuery = (namespace: string, range: Range) =>
  queryOptions({
    queryKey: ['dashboard', namespace, range],
    queryFn: ({ signal }) => {
      const params = new URLSearchParams({ range, ...(namespace === '-' ? {} : { namespace }) });
      return raw<Dashboard>('GET', `/api/v1/dashboard?${params}`, undefined, signal);
    },
    placeholderData: keepPreviousData,
    meta: { topics: ['stats', 'runs', 'jobs'], every: 5000 },
  });

/** The jobs that fire first, however far that is. The server sorts at most 2,000 jobs: where there are more, the next hour is full anyway. */
export const laterQuery = (namespace: string, limit: number) =>
  queryOptions({
    queryKey: ['next-fires', namespace, limit],
    queryFn: async ({ signal }) => {
      const query = { q: 'next<400d -state:paused', sort: 'next', limit };
      return (await ask(api.GET('/api/v1/namespaces/{namespace}/jobs', { params: { path: { namespace }, query }, signal }))).items;
    },
    retry: false,
    meta: { topics: ['stats', 'jobs'], every: 15_000 },
  });
