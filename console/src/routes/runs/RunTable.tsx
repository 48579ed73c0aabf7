import { useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/Button';
import { DataTable } from '@/components/DataTable';
import { Failure, Skeleton, StaleNote } from '@/components/Feedback';
import { useT } from '@/i18n';
import { useRunColumns } from './columns';
import type { Run } from './queries';
import css from './Runs.module.css';
import type { RunListState } from './useRunList';

export interface RunTableProps {
  ns: string;
  list: RunListState;
  /** Shows the job of each run. */
  job: boolean;
  empty: ReactNode;
  chosen?: readonly string[] | undefined;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  /** Shows a run in short beside the list. */
  onPeek?: (run: Run) => void;
  /** Id of the run that is shown so. */
  peeked?: string | undefined;
}

/** Runs, newest first. Those that come since wait behind a button. */
export function RunTable({ ns, list, job, empty, chosen, selected, onSelect, onPeek, peeked }: RunTableProps) {
  const t = useT();
  const navigate = useNavigate();
  const columns = useRunColumns({ job, namespace: ns === '-' });
  const open = (run: Run) => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id } });
  const { rows, error } = list;
  if (!rows && error?.code === 'search.syntax') return <>{empty}</>;
  if (!rows) return error ? <Failure error={error} what={t.runs.what} onRetry={list.retry} /> : <Skeleton lines={14} />;
  return (
    <div className={css.list}>
      {error && error.code !== 'search.syntax' && <StaleNote error={error} onRetry={list.retry} />}
      {list.since > 0 && (
        <div className={css.fresh} role="status">
          <Button size="s" icon={ArrowUp} onClick={list.renew}>
            {t.runs.fresh(list.since)}
          </Button>
        </div>
      )}
      <DataTable
        label={t.shell.runs}
        columns={columns}
        chosen={chosen}
        rows={rows}
        rowKey={(run) => run.id}
        rowName={(run) => `${run.job} ${run.fire_at ?? run.created_at}`}
        onOpen={open}
        onPeek={onPeek}
        peeked={peeked}
        rowTone={(run) => (run.state === 'failed' ? 'bad' : undefined)}
        waiting={list.isWaiting}
        more={list.more}
        empty={empty}
        {...(selected && onSelect ? { selected, onSelect } : {})}
      />
    </div>
  );
}
