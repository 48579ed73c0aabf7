import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ApiError, asApiError } from '@/api/problem';
import { useKept, useSearchError } from '@/lib/kept';
import { type Run, type RunSearch, fetchRuns } from './queries';
import { fresh, patched } from './search';

export interface RunListState {
  /** Absent until the first answer; those of the search before while one is on its way. */
  rows: readonly Run[] | undefined;
  /** Runs that came since the list was fetched. */
  since: number;
  /** The rows are those of the search before. */
  isWaiting: boolean;
  error: ApiError | undefined;
  more: { has: boolean; busy: boolean; load: () => void };
  /** Fetches the list anew, with what came since. */
  renew: () => void;
  retry: () => void;
}

/** Runs, newest first. Rows change in place as things happen; those that come since are counted, and none moves. */
export function useRunList(ns: string, search: RunSearch): RunListState {
  const client = useQueryClient();
  const key = ['runs', ns, search.q ?? '', search.job ?? '', search.from ?? '', search.to ?? '', search.tasks ?? ''];
  const list = useInfiniteQuery({
    queryKey: [...key, 'list'],
    queryFn: ({ pageParam, signal }) => fetchRuns(ns, search, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const head = useQuery({
    queryKey: [...key, 'head'],
    queryFn: ({ signal }) => fetchRuns(ns, search, undefined, signal),
    meta: { topics: ['runs'], every: 1000 },
    enabled: list.isSuccess,
  });
  const fetched: Run[] | undefined = list.data?.pages.flatMap((page) => page.items);
  const newest = head.data?.items ?? [];
  const error = useSearchError(key.join(' '), list.error, fetched !== undefined);
  // An empty list shows what comes at once: nothing can move under the reader.
  const shown = fetched?.length === 0 ? newest : fetched && patched(fetched, newest);
  return {
    rows: useKept(shown),
    since: fetched && fetched.length > 0 ? fresh(fetched, newest).length : 0,
    isWaiting: fetched === undefined && !error,
    error: error && asApiError(error),
    more: { has: list.hasNextPage, busy: list.isFetchingNextPage, load: () => void list.fetchNextPage() },
    renew: () => void client.resetQueries({ queryKey: [...key, 'list'] }),
    retry: () => void list.refetch(),
  };
}
