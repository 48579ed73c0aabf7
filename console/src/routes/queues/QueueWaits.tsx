import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { useFormats, useT } from '@/i18n';
import type { Run } from '../runs/queries';
import { type Queue, type QueueWaiting, waitingQuery } from './queries';
import { RunName } from './RunName';
import css from './Queues.module.css';

/** What waits in a queue: why, of which namespaces, and what leaves first. */
export function QueueWaits({ queue, ns }: { queue: Queue; ns: string }) {
  const t = useT();
  const query = useQuery(waitingQuery(queue.name));
  return (
    <Loaded query={query} what={t.queues.waits} skeleton={<Skeleton lines={4} />}>
      {(waiting) => (
        <>
          <Panel title={t.queues.whyWaits}>{waiting.reasons.length === 0 ? <p className={css.quiet}>{t.queues.nothingWaits}</p> : <Reasons waiting={waiting} />}</Panel>
          <Panel title={t.queues.head} aside={waiting.head.length < waiting.count ? t.queues.firstOf(waiting.head.length) : undefined} flush>
            <Head runs={waiting.head} ns={ns} />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function Reasons({ waiting: { reasons, namespaces, count, is_least } }: { waiting: QueueWaiting }) {
  const t = useT();
  const formats = useFormats();
  const all = Math.max(1, count);
  return (
    <div className={css.waits}>
      <ul>
        {reasons.map((reason) => (
          <li key={`${reason.code} ${reason.message}`}>
            <span className={css.share}>
              <b>{formats.number(reason.count)}</b>
              <meter min={0} max={all} value={reason.count} aria-label={t.queues.waiting} />
            </span>
            <span>
              <Prose text={t.said.say(reason.code, reason.message)} />
              {reason.hint && <span className={css.quiet}>{t.said.hint(reason.hint)}</span>}
            </span>
          </li>
        ))}
      </ul>
      {is_least && <p className={css.quiet}>{t.queues.countedTo(formats.number(count))}</p>}
      {namespaces.length > 1 && (
        <>
          <h3>{t.queues.byNamespace}</h3>
          <ul>
            {namespaces.map((each) => (
              <li key={each.namespace}>
                <span className={css.share}>
                  <b>{formats.number(each.count)}</b>
                  <meter min={0} max={all} value={each.count} aria-label={t.queues.waiting} />
                </span>
                <span>{each.namespace}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The runs that leave first, in their order. */
function Head({ runs, ns }: { runs: readonly Run[]; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const columns: Column<Run>[] = [
    { id: 'job', header: t.runs.job, cell: (run) => <RunName run={run} ns={ns} /> },
    { id: 'due', header: t.queues.due, width: '12rem', cell: (run) => <Instant at={run.due_at} relative /> },
    { id: 'priority', header: t.queues.priority, width: '6rem', align: 'end', cell: (run) => formats.number(run.priority) },
    { id: 'attempt', header: t.runs.attempt, width: '6rem', align: 'end', wide: true, cell: (run) => formats.number(run.attempt + 1) },
  ];
  return <DataTable label={t.queues.head} columns={columns} rows={runs} rowKey={(run) => run.id} rowName={(run) => run.job} empty={<p className={css.nothing}>{t.queues.nothingWaits}</p>} />;
}
