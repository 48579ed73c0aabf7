import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import type { components } from '@/api/schema';
import type { GroupBy } from './groups';

export type Job = components['schemas']['Job'];

export interface JobPage {
  items: Job[];
  next_cursor?: string | null;
}

const PAGE = 100;
export const STRIP = 14;

export interface JobSearch {
  q: string;
  sort: string | undefined;
}

/** Path of the list, to which more parameters can be added. */
export function jobsPath(namespace: string, search: JobSearch): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/jobs?${new URLSearchParams(paramsOf(search))}`;
}

function fetchJobs(namespace: string, params: Record<string, string>, signal?: AbortSignal): Promise<JobPage> {
  return raw<JobPage>('GET', `/api/v1/namespaces/${encodeURIComponent(namespace)}/jobs?${new URLSearchParams(params)}`, undefined, signal);
}

function paramsOf({ q, sort }: JobSearch): Record<string, string> {
  return { ...(q === '' ? {} : { q }), ...(sort ? { sort } : {}) };
}

export function jobsQuery(namespace: string, search: JobSearch) {
  return infiniteQueryOptions<JobPage, Error, InfiniteData<JobPage>, readonly unknown[], string>({
    queryKey: ['jobs', namespace, search],
    queryFn: ({ pageParam, signal }) =>
      fetchJobs(namespace, { ...paramsOf(search), recent: String(STRIP), limit: String(PAGE), ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    retry: false,
    meta: { topics: ['jobs', 'runs'], every: 2000 },
  });
}

/** Rows of a group that are shown below its heading. */
export const GROUP_PAGE = PAGE;

/** The first jobs of a group. */
export function groupQuery(namespace: string, search: JobSearch) {
  return queryOptions({
    queryKey: ['jobs', namespace, search, 'group'],
    queryFn: ({ signal }) => fetchJobs(namespace, { ...paramsOf(search), recent: String(STRIP), limit: String(GROUP_PAGE) }, signal),
    retry: false,
    meta: { topics: ['jobs', 'runs'], every: 2000 },
  });
}

/** How many of the jobs that a query finds have which value. */
export function groupsQuery(namespace: string, q: string, by: GroupBy | undefined) {
  const { field = '', label = '' } = by ?? {};
  const query = { page: 'jobs', field, q, ...(field === 'label' ? { prefix: `${label}=` } : {}), ...(namespace === '-' ? {} : { namespace }) };
  return queryOptions({
    queryKey: ['job-groups', namespace, q, field, label],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/facets', { params: { query }, signal })),
    retry: false,
    meta: { topics: ['jobs'], every: 5000 },
  });
}

/** The names of labels that jobs have, the most frequent first. */
export function labelNamesQuery(namespace: string) {
  const query = { page: 'jobs', field: 'label', ...(namespace === '-' ? {} : { namespace }) };
  return queryOptions({
    queryKey: ['label-names', namespace],
    queryFn: async ({ signal }) => {
      const { values } = await ask(api.GET('/api/v1/facets', { params: { query }, signal }));
      return values.map(({ value }) => value).filter((value) => !value.includes('='));
    },
  });
}

/** All jobs that a query finds, up to a number. Looks through them page by page. */
export async function allMatching(namespace: string, search: JobSearch, most: number): Promise<{ jobs: Job[]; isAll: boolean }> {
  const jobs: Job[] = [];
  let cursor: string | null | undefined = '';
  while (cursor !== undefined && cursor !== null && jobs.length < most) {
    const page: JobPage = await fetchJobs(namespace, { ...paramsOf(search), limit: '1000', ...(cursor ? { cursor } : {}) });
    jobs.push(...page.items);
    cursor = page.next_cursor;
  }
  return { jobs: jobs.slice(0, most), isAll: cursor === undefined || cursor === null };
}
