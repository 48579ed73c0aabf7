import { Panel } from '@/components/Page';
import { useT } from '@/i18n';
import { RunTable } from './RunTable';
import css from './Runs.module.css';
import { useRunList } from './useRunList';

/** What a worker or a node has executed, in all namespaces, with the runs of tasks. `empty` says why there may be nothing. */
export function LastRuns({ q, empty }: { q: string; empty: string }) {
  const t = useT();
  const past = useRunList('-', { q, tasks: 'true' });
  return (
    <Panel title={t.workers.lastRuns} flush>
      <div className={css.past}>
        <RunTable ns="-" list={past} job empty={<p className={css.nothing}>{empty}</p>} />
      </div>
    </Panel>
  );
}
