import { Link } from '@tanstack/react-router';
import type { Run } from '../runs/queries';
import css from './Queues.module.css';

/** A run in a list of a queue, by its job and task: leads to its page. The namespace is told where it is another one than that of the page. */
export function RunName({ run, ns }: { run: Run; ns: string }) {
  return (
    <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }} className={css.name}>
      {run.namespace !== ns && `${run.namespace}/`}
      {run.job}
      {run.task ? ` · ${run.task}` : ''}
    </Link>
  );
}
