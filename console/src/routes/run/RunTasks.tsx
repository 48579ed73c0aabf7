import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Loaded } from '@/components/Feedback';
import { useT } from '@/i18n';
import { type WorkflowSearch, WorkflowView } from '../workflow/WorkflowView';
import { definedTasksQuery, tasksQuery } from '../workflow/queries';
import { statusesOf } from '../workflow/status';
import type { Run } from './queries';

/** The tasks of a workflow run, as the version that runs has them, and how they stand. */
export function RunTasks({ run, search, onSearch }: { run: Run; search: WorkflowSearch; onSearch: (change: WorkflowSearch) => void }) {
  const t = useT();
  const query = useQuery(tasksQuery(run.id));
  const defined = useQuery(definedTasksQuery(run.namespace, run.job, run.job_version)).data;
  const statuses = useMemo(() => statusesOf(query.data ?? []), [query.data]);
  const names = query.data?.map(({ name }) => name).join('\n');
  const tasks = useMemo(
    // What a version says of its tasks is gone with it; what they need of each other is with the run.
    () => Object.fromEntries((query.data ?? []).map(({ name, needs = [], trigger_rule, finally: last }) => [name, defined?.[name] ?? { needs, trigger_rule, finally: last }])),
    // The graph is that of the run: states change, tasks do not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [names, defined],
  );
  return (
    <Loaded query={query} what={t.workflow.tasks}>
      {() => <WorkflowView namespace={run.namespace} tasks={tasks} of={{ run: run.id, begin: run.started_at ?? run.created_at, end: run.ended_at, statuses }} search={search} onSearch={onSearch} />}
    </Loaded>
  );
}
