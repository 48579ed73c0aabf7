import { Link } from '@tanstack/react-router';
import type { Column } from '@/components/DataTable';
import { Instant, Took } from '@/components/Instant';
import { StateBadge } from '@/components/StateBadge';
import { ExecutorLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { runState } from '@/states';
import type { Run } from './queries';
import css from './Runs.module.css';

/** A run as a row of a file. */
export const runHead = ['namespace', 'job', 'id', 'state', 'fire_at', 'created_at', 'started_at', 'ended_at', 'lateness_ms', 'attempt', 'origin', 'exit_code', 'queue', 'worker', 'node', 'reason'] as const;

export function runRow(run: Run): unknown[] {
  return runHead.map((key) => run[key]);
}

/** Columns of lists of runs. Without `job` on the page of one job. */
export function useRunColumns(options: { job: boolean; namespace: boolean }): Column<Run>[] {
  const t = useT();
  const formats = useFormats();
  const all: (Column<Run> | false)[] = [
    { id: 'state', header: t.runs.state, width: '8.5rem', cell: (run) => <StateBadge state={runState(run)} /> },
    options.job && {
      id: 'job',
      header: t.runs.job,
      cell: (run) => (
        <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }} className={css.job}>
          {options.namespace && <span className={css.ns}>{run.namespace}/</span>}
          {run.job}
          {run.task && <span className={css.ns}> · {run.task}</span>}
        </Link>
      ),
    },
    {
      id: 'fired',
      header: t.runs.fired,
      width: '11.5rem',
      cell: (run) =>
        options.job ? (
          <Instant at={run.fire_at ?? run.created_at} />
        ) : (
          <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }}>
            <Instant at={run.fire_at ?? run.created_at} />
          </Link>
        ),
    },
    { id: 'started', header: t.runs.started, width: '10.5rem', wide: true, cell: (run) => <Instant at={run.started_at} /> },
    { id: 'took', header: t.runs.took, width: '6rem', align: 'end', cell: (run) => <Took from={run.started_at} to={run.ended_at} /> },
    { id: 'lateness', header: t.runs.lateness, width: '6rem', align: 'end', wide: true, cell: (run) => (typeof run.lateness_ms === 'number' ? formats.duration(run.lateness_ms) : t.common.none) },
    { id: 'attempt', header: t.runs.attempt, width: '5rem', align: 'end', wide: true, cell: (run) => (run.attempt === 0 ? t.common.none : run.attempts_max > 1 || run.attempt > 1 ? `${run.attempt}/${Math.max(run.attempt, run.attempts_max)}` : run.attempt) },
    { id: 'origin', header: t.runs.origin, width: '9rem', wide: true, cell: (run) => t.run.origins[run.origin] ?? t.run.origins.unknown },
    { id: 'reason', header: t.runs.reason, wide: true, cell: (run) => <span className={css.reason}>{run.reason ? t.said.failure(run.reason) : ''}</span> },
    { id: 'ended', header: t.runs.ended, width: '10.5rem', optional: true, cell: (run) => <Instant at={run.ended_at} /> },
    { id: 'queue', header: t.runs.queue, optional: true, cell: (run) => run.queue },
    { id: 'worker', header: t.runs.executor, width: '9rem', wide: true, cell: (run) => <ExecutorLink of={run} ns={run.namespace} /> },
    { id: 'id', header: t.runs.id, optional: true, cell: (run) => <code>{run.id}</code> },
  ];
  return all.filter((column) => column !== false);
}
