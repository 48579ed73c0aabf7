import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { raw } from '@/api/client';
import type { components } from '@/api/schema';

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
