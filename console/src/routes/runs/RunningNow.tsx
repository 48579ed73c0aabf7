import { type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant, Took } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { runState } from '@/states';
import type { Run, RunList } from './queries';
import css from './Runs.module.css';

/** What a worker or a node executes now: rows come and go by themselves, as there are few. */
export function RunningNow({ query }: { query: UseQueryResult<RunList> }) {
  const t = useT();
  const formats = useFormats();
  const columns: Column<Run>[] = [
    {
      id: 'job',
      header: t.runs.job,
      cell: (run) => (
        <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }}>
          {run.namespace}/{run.job}
          {run.task ? ` · ${run.task}` : ''}
        </Link>
      ),
    },
    { id: 'state', header: t.runs.state, width: '8.5rem', cell: (run) => <StateBadge state={runState(run)} /> },
    { id: 'started', header: t.runs.started, width: '11rem', wide: true, cell: (run) => <Instant at={run.started_at} /> },
    { id: 'took', header: t.runs.took, width: '6rem', align: 'end', cell: (run) => <Took from={run.started_at} to={run.ended_at} /> },
    { id: 'attempt', header: t.runs.attempt, width: '5rem', align: 'end', wide: true, cell: (run) => formats.number(run.attempt) },
  ];
  return (
    <Panel title={t.workers.runsNow} aside={query.data && formats.number(query.data.items.length)} flush>
      <Loaded query={query} what={t.workers.runsNow}>
        {({ items }) => <DataTable label={t.workers.runsNow} columns={columns} rows={items} rowKey={(run) => run.id} rowName={(run) => run.job} empty={<p className={css.nothing}>{t.workers.idle}</p>} />}
      </Loaded>
    </Panel>
  );
}
