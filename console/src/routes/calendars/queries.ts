import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Calendar = components['schemas']['Calendar'];

export const calendarsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['calendars', ns],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/calendars', { params: { path: { namespace: ns }, query: { limit: 500 } }, signal })),
    meta: { topics: ['jobs'], every: 2000 },
  });

/** The days of a year whose noon a calendar removes, as the scheduler itself sees them. */
export const removedQuery = (calendar: Calendar, year: number) =>
  queryOptions({
    queryKey: ['removed-days', calendar.id, calendar.version, year],
    queryFn: async ({ signal }) => {
      const timezone = calendar.spec.timezone ?? 'UTC';
      const body = {
        trigger: { cron: '0 0 12 * * ?', timezone, calendar: calendar.name },
        namespace: calendar.namespace,
        after: `${year - 1}-12-30T00:00:00.000Z`,
        until: `${year + 1}-01-02T00:00:00.000Z`,
        count: 370,
      };
      const preview = await ask(api.POST('/api/v1/schedules/preview', { body, signal }));
      return new Set(preview.fires.filter((fire) => fire.excluded_by).map((fire) => fire.local.slice(0, 10)));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
