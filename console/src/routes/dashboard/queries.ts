import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { raw } from '@/api/client';
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
