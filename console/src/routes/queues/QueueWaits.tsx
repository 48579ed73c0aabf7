import { useQuery } from '@tanstack/react-query';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Took } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { useFormats, useT } from '@/i18n';
import { QueueHead } from './QueueHead';
import { QueueShares } from './QueueShares';
import { type Queue, type QueueReason, type QueueWaiting, waitingQuery } from './queries';
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
          <Panel title={t.queues.whyWaits}>
            <Reasons waiting={waiting} ns={ns} />
          </Panel>
          <Panel title={t.queues.head} aside={waiting.head.length < waiting.count ? t.queues.firstOf(waiting.head.length) : undefined} flush>
            <QueueHead queue={queue.name} runs={waiting.head} ns={ns} />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function Reasons({ waiting: { reasons, held = [], namespaces, count, is_least }, ns }: { waiting: QueueWaiting; ns: string }) {
  const t = useT();
  const formats = useFormats();
  return (
    <div className={css.waits}>
      {reasons.length === 0 ? <p className={css.quiet}>{t.queues.nothingWaits}</p> : <ReasonList reasons={reasons} of={count} ns={ns} />}
      {is_least && <p className={css.quiet}>{t.queues.countedTo(formats.number(count))}</p>}
      {held.length > 0 && (
        <>
          <h3>{t.queues.held}</h3>
          <ReasonList reasons={held} of={held.reduce((sum, each) => sum + each.count, 0)} ns={ns} />
        </>
      )}
      {namespaces.length > 1 && (
        <>
          <h3>{t.queues.byNamespace}</h3>
          <QueueShares namespaces={namespaces} />
        </>
      )}
    </div>
  );
}

/** Reasons with how many runs wait for each, and the runs that hold it. */
function ReasonList({ reasons, of, ns }: { reasons: readonly QueueReason[]; of: number; ns: string }) {
  const t = useT();
  const formats = useFormats();
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={`${reason.job ?? ''} ${reason.code} ${reason.message}`}>
          <span className={css.share}>
            <b>{formats.number(reason.count)}</b>
            <meter min={0} max={Math.max(1, of)} value={reason.count} aria-label={t.queues.waiting} />
          </span>
          <span>
            {reason.job && <b>{reason.job}: </b>}
            <Prose text={t.said.say(reason.code, reason.message)} />
            {reason.hint && <span className={css.quiet}>{t.said.hint(reason.hint)}</span>}
            <Holders reason={reason} ns={ns} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The runs that hold a limit, the one that began first is the first. */
function Holders({ reason: { holders = [] }, ns }: { reason: QueueReason; ns: string }) {
  const t = useT();
  const formats = useFormats();
  if (holders.length === 0) return null;
  return (
    <details className={css.held}>
      <summary>{t.queues.heldBy(holders.length, formats.number(holders.length))}</summary>
      <ul>
        {holders.map((run) => (
          <li key={run.id}>
            <RunName run={run} ns={ns} /> <Took from={run.started_at} to={run.ended_at} />
          </li>
        ))}
      </ul>
    </details>
  );
}
