import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/Button';
import { DataTable } from '@/components/DataTable';
import { Failure, Skeleton, StaleNote } from '@/components/Feedback';
import { useT } from '@/i18n';
import { useRunColumns } from './columns';
import { type Run, type RunSearch, fetchRuns } from './queries';
import css from './Runs.module.css';
import { fresh, patched } from './search';

export interface RunTableProps {
  ns: string;
  search: RunSearch;
  /** Shows the job of each run. */
  job: boolean;
  empty: ReactNode;
  chosen?: readonly string[] | undefined;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
}

/** Runs, newest first. Rows change in place as things happen; those that come since wait behind a button. */
export function RunTable({ ns, search, job, empty, chosen, selected, onSelect }: RunTableProps) {
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const columns = useRunColumns({ job, namespace: ns === '-' });
  const key = ['runs', ns, search.q ?? '', search.from ?? '', search.to ?? ''];
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
    placeholderData: (before) => before,
  });
  const shown: Run[] = list.data?.pages.flatMap((page) => page.items) ?? [];
  const rows = patched(shown, head.data?.items ?? []);
  const since = list.isSuccess ? fresh(shown, head.data?.items ?? []) : [];
  const open = (run: Run) => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id } });

  if (list.error && rows.length === 0) return <Failure error={list.error} what={t.runs.what} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Skeleton lines={14} />;
  const renew = () => void client.resetQueries({ queryKey: [...key, 'list'] });
  // An empty list shows what comes at once: nothing can move under the reader.
  const first = rows.length === 0 ? (head.data?.items ?? []) : rows;
  return (
    <div className={css.list}>
      {list.error && <StaleNote error={list.error} onRetry={() => void list.refetch()} />}
      {since.length > 0 && rows.length > 0 && (
        <div className={css.fresh} role="status">
          <Button size="s" icon={ArrowUp} onClick={renew}>
            {t.runs.fresh(since.length)}
          </Button>
        </div>
      )}
      <DataTable
        label={t.shell.runs}
        columns={columns}
        chosen={chosen}
        rows={first}
        rowKey={(run) => run.id}
        rowName={(run) => `${run.job} ${run.fire_at ?? run.created_at}`}
        onOpen={open}
        rowTone={(run) => (run.state === 'failed' ? 'bad' : undefined)}
        more={{ has: list.hasNextPage, busy: list.isFetchingNextPage, load: () => void list.fetchNextPage() }}
        empty={empty}
        {...(selected && onSelect ? { selected, onSelect } : {})}
      />
    </div>
  );
}
