import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Approval = components['schemas']['Approval'];

const PAGE = 200;
/** More than anybody decides about: the rest shows when these are done. */
const SHOWN_MAX = 1000;

export interface Approvals {
  items: readonly Approval[];
  /** There are more. */
  more: boolean;
}

/** Returns the first that wait, of one namespace or with `-` of all. */
export async function fetchApprovals(namespace: string, most: number, signal: AbortSignal): Promise<Approvals> {
  const items: Approval[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { ...(namespace === '-' ? {} : { namespace }), ...(cursor ? { cursor } : {}), limit: Math.min(PAGE, most) };
    const page = await ask(api.GET('/api/v1/approvals', { params: { query }, signal }));
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return { items, more: Boolean(cursor) };
}

export const approvalsQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['approvals', namespace],
    queryFn: ({ signal }) => fetchApprovals(namespace, SHOWN_MAX, signal),
    meta: { topics: ['runs', 'stats'], every: 2000 },
  });

const COUNTED_MAX = 100;

/** How many wait, for the badge beside the page's name. It is on every page, and asks less often. */
export const approvalCountQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['approvals', namespace, 'count'],
    queryFn: async ({ signal }) => (await fetchApprovals(namespace, COUNTED_MAX, signal)).items.length,
    meta: { topics: ['stats'], every: 10_000 },
    staleTime: 5000,
    retry: false,
  });

/** The approvals in which a text occurs: what is asked, job, task or run. */
export function matching(items: readonly Approval[], q: string): readonly Approval[] {
  const wanted = q.trim().toLowerCase();
  if (wanted === '') return items;
  return items.filter(({ prompt, job, task, run, from = [] }) => [prompt, job, task, run, ...from].some((text) => text.toLowerCase().includes(wanted)));
}
