import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pause, Play, SlidersHorizontal } from 'lucide-react';
import { Button } from '@/components/Button';
import { Dialog } from '@/components/Dialog';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Facts } from '@/components/Page';
import { Who } from '@/components/Who';
import { WhyPanel } from '@/components/WhyPanel';
import { useFormats, useT } from '@/i18n';
import { quoted } from '@/lib/query';
import { whyQuery } from '../run/queries';
import { type Queue, oldestQuery } from './queries';
import css from './Queues.module.css';

/** What of a queue is known, and why the run that has waited longest does not start. */
export function QueueDialog({ queue, ns, onSet, onPause, onClose }: { queue: Queue; ns: string; onSet: () => void; onPause: () => void; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const limit = (value: number | null | undefined) => (typeof value === 'number' ? formats.number(value) : t.queues.noLimit);
  const runs = (state: string, word: string) => (
    <Link to="/ns/$ns/runs" params={{ ns }} search={{ q: `queue:${quoted(queue.name)} state:${state}` }} onClick={onClose}>
      {word}
    </Link>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.queues.titleOf(queue.name)}
      footer={
        <>
          <Button onClick={onClose}>{t.common.close}</Button>
          <Button icon={queue.paused ? Play : Pause} onClick={onPause}>
            {queue.paused ? t.queues.resume : t.queues.pause}
          </Button>
          <Button icon={SlidersHorizontal} onClick={onSet}>
            {t.queues.set}
          </Button>
        </>
      }
    >
      <div className={css.detail}>
        <Facts
          rows={[
            [t.queues.state, queue.paused ? t.queues.paused : t.queues.open],
            queue.pause_reason ? [t.common.reason, queue.pause_reason] : undefined,
            queue.paused && queue.paused_at
              ? [
                  t.queues.pausedAt,
                  <span key="by">
                    <Instant at={queue.paused_at} relative /> {queue.paused_by && <Who by={queue.paused_by} />}
                  </span>,
                ]
              : undefined,
            [t.queues.waiting, runs('queued', formats.number(queue.queued))],
            [t.queues.running, runs('running', formats.number(queue.running))],
            [t.queues.maxRunning, limit(queue.max_running)],
            [t.queues.maxWaiting, limit(queue.max_waiting)],
            [t.queues.rate, queue.rate ? t.queues.rateOf(formats.number(queue.rate.count), formats.duration(queue.rate.per_ms)) : t.queues.noLimit],
            [t.queues.workers, formats.number(queue.workers)],
          ]}
        />
        {queue.queued === 0 ? <p className={css.quiet}>{t.queues.nothingWaits}</p> : <Oldest queue={queue} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

/** The run that is due longest, with what is in its way. */
function Oldest({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const t = useT();
  const query = useQuery(oldestQuery(queue.name, queue.oldest_due_at ?? undefined));
  const run = query.data;
  const why = useQuery({ ...whyQuery(run?.id ?? ''), enabled: Boolean(run) });
  return (
    <Loaded query={query} what={t.queues.oldestRun} skeleton={<Skeleton lines={3} />}>
      {(found) =>
        found ? (
          <>
            <p>
              {t.queues.oldestRun}:{' '}
              <Link to="/ns/$ns/runs/$run" params={{ ns: found.namespace, run: found.id }} onClick={onClose}>
                {found.job}
              </Link>{' '}
              <span className={css.quiet}>
                <Instant at={queue.oldest_due_at ?? found.due_at} relative />
              </span>
            </p>
            {why.data && <WhyPanel why={why.data} namespace={found.namespace} title={t.queues.whyWaits} />}
          </>
        ) : (
          <p className={css.quiet}>{t.queues.nothingWaits}</p>
        )
      }
    </Loaded>
  );
}
