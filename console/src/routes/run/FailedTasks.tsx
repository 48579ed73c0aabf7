import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '@/i18n';
import { tasksQuery } from '../workflow/queries';
import type { Run } from './queries';

const SHOWN = 5;

/** The tasks that failed, each with the way to its log: one click from the run. */
export function FailedTasks({ run }: { run: Run }) {
  const t = useT();
  const failed = (useQuery(tasksQuery(run.id)).data ?? []).filter(({ state }) => state === 'failed');
  return (
    <>
      {failed.slice(0, SHOWN).map((task) => (
        <p key={task.name}>
          <strong>{task.name}</strong> {task.reason && t.said.failure(task.reason)}{' '}
          {task.run ? (
            <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: task.run }}>
              {t.workflow.openFailing}
            </Link>
          ) : (
            <Link to="." search={{ task: task.name }}>
              {t.workflow.task(task.name)}
            </Link>
          )}
        </p>
      ))}
    </>
  );
}
