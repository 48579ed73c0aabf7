import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/Button';
import { DataTable } from '@/components/DataTable';
import { Failure, Skeleton, StaleNote } from '@/components/Feedback';
import { useFormats, useT } from '@/i18n';
import { toggled } from '@/lib/toggled';
import { useRunColumns } from './columns';
import { type RunGroupBy, bunches } from './groups';
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
  /** Puts the runs under headings. */
  groups?: RunGroups | undefined;
}

export interface RunGroups {
  by: RunGroupBy;
  /** The query of the list. */
  q: string;
  /** Groups whose rows are hidden, as the address names them. */
  closed: readonly string[];
  onClosed: (closed: string[] | undefined) => void;
}

/** Runs, newest first. Those that come since wait behind a button. */
export function RunTable({ ns, list, job, empty, chosen, selected, onSelect, onPeek, peeked, groups }: RunTableProps) {
  const t = useT();
  const formats = useFormats();
  const navigate = useNavigate();
  const columns = useRunColumns({ job, namespace: ns === '-' });
  const open = (run: Run) => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id } });
  const { rows, error } = list;
  const headed = ({ by, q, closed, onClosed }: RunGroups) =>
    bunches(rows ?? [], by, q).map((bunch) => {
      // What stands for none cannot be the text of a value: there, it is written in another way.
      const key = bunch.value === undefined ? '~' : encodeURIComponent(bunch.value).replaceAll('~', '%7E');
      return {
        key,
        name: bunch.value ?? t.jobs.without,
        count: t.common.rows(formats.number(bunch.rows.length)),
        open: !closed.includes(key),
        onToggle: () => onClosed(toggled(closed, key)),
        aside: (
          <Link to="." search={(before) => ({ ...before, q: bunch.q, group: undefined, closed: undefined }) as never}>
            {t.jobs.asList}
          </Link>
        ),
        rows: bunch.rows,
      };
    });
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
        groups={groups && rows.length > 0 ? headed(groups) : undefined}
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
