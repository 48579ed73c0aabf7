import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Backfill = components['schemas']['Backfill'];
export type BackfillSpec = components['schemas']['BackfillSpec'];
export type BackfillPlan = components['schemas']['BackfillPlan'];
export type BackfillPlanItem = components['schemas']['BackfillPlanItem'];
export type BackfillItem = components['schemas']['BackfillItem'];
export type BackfillState = components['schemas']['BackfillState'];
export type BackfillItemState = components['schemas']['BackfillItemState'];

const PAGE = 200;
/** Rows of a plan that are shown; its sums are of all of them. */
const PLAN_ROWS = 1000;

export const backfillListQuery = (namespace: string, state: BackfillState | undefined) =>
  queryOptions({
    queryKey: ['backfills', namespace, state],
    queryFn: async ({ signal }) => (await ask(api.GET('/api/v1/namespaces/{namespace}/backfills', { params: { path: { namespace }, query: { limit: PAGE, ...(state ? { state } : {}) } }, signal }))).items,
    meta: { topics: ['runs', 'stats'], every: 2000 },
  });

export const backfillQuery = (backfill: string) =>
  queryOptions({
    queryKey: ['backfill', backfill],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/backfills/{backfill}', { params: { path: { backfill } }, signal })),
    meta: { topics: ['runs', 'stats'], every: 1000 },
  });

export const backfillItemsQuery = (backfill: string, state: BackfillItemState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['backfill-items', backfill, state],
    queryFn: ({ signal, pageParam }) => ask(api.GET('/api/v1/backfills/{backfill}/items', { params: { path: { backfill }, query: { limit: PAGE, ...(state ? { state } : {}), ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    meta: { topics: ['runs'], every: 2000 },
  });

/** What a backfill would do. Asked anew whenever the wish changes; nothing happens by it. */
export const backfillPlanQuery = (namespace: string, job: string, spec: BackfillSpec | undefined) =>
  queryOptions({
    queryKey: ['backfill-plan', namespace, job, spec],
    queryFn: ({ signal }) => ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/backfills/plan', { params: { path: { namespace, job }, query: { limit: PLAN_ROWS } }, body: spec ?? { from: '' }, signal })),
    enabled: spec !== undefined && job !== '',
    retry: false,
    staleTime: 5000,
  });
