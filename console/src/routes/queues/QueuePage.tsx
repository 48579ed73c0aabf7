import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowRightLeft, Pause, Play, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { type Action, ActionBar } from '@/components/ActionBar';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { Segments } from '@/components/Segments';
import { Who } from '@/components/Who';
import { useFormats, useT } from '@/i18n';
import { quoted } from '@/lib/query';
import { LimitsDialog } from './LimitsDialog';
import { MoveDialog } from './MoveDialog';
import { PressureBadge } from './PressureBadge';
import { QueueChanges } from './QueueChanges';
import { QueueCharts } from './QueueCharts';
import { FailedRuns, RunningRuns } from './QueueRuns';
import { QueueWaits } from './QueueWaits';
import { type Queue, type QueueRange, queueQuery, queuesQuery } from './queries';
import css from './Queues.module.css';
import { queueRanges, queueRoute } from './routes';
import { pauseCommand, usePause } from './usePause';

/** One queue: what comes and leaves over time, what waits and why, what it executes, and what failed. */
export function QueuePage() {
  const t = useT();
  const { queue } = queueRoute.useParams();
  const query = useQuery(queueQuery(queue));
  return (
    <Loaded query={query} what={t.queues.a}>
      {(found) => <QueueView key={queue} queue={found} />}
    </Loaded>
  );
}

function QueueView({ queue }: { queue: Queue }) {
  const t = useT();
  const { ns } = queueRoute.useParams();
  const { range = '1h' } = queueRoute.useSearch();
  const navigate = useNavigate();
  const known = useQuery(queuesQuery).data ?? [];
  const setPaused = usePause();
  const [open, setOpen] = useState<'limits' | 'move'>();
  const look = { cli: ['queue', 'get', queue.name], http: { method: 'GET' as const, path: `/api/v1/queues/${encodeURIComponent(queue.name)}` } };
  const actions: Action[] = [
    { id: 'pause', label: queue.paused ? t.queues.resume : t.queues.pause, icon: queue.paused ? Play : Pause, keys: 's', command: pauseCommand(queue), run: () => void setPaused(queue) },
    { id: 'limits', label: t.queues.set, icon: SlidersHorizontal, command: look, run: () => setOpen('limits') },
    {
      id: 'move',
      label: t.queues.move,
      icon: ArrowRightLeft,
      hidden: true,
      command: 'local',
      disabledReason: queue.name.startsWith('xxl.') ? t.queues.moveExecutors : queue.queued === 0 ? t.queues.nothingWaits : undefined,
      run: () => setOpen('move'),
    },
  ];
  const go = (to: QueueRange) => void navigate({ to: '.', search: { range: to === '1h' ? undefined : to } as never, replace: true });
  return (
    <Page
      title={queue.name}
      trail={
        <Link to="/ns/$ns/queues" params={{ ns }}>
          {t.shell.queues}
        </Link>
      }
      facts={
        <>
          <span className={queue.paused ? css.paused : css.open}>
            {queue.paused ? <Pause size={13} aria-hidden="true" /> : <Play size={13} aria-hidden="true" />}
            {queue.paused ? t.queues.paused : t.queues.open}
          </span>
          <PressureBadge queue={queue} />
        </>
      }
      actions={<ActionBar actions={actions} />}
    >
      <Panel
        title={t.queues.overTime}
        aside={<Segments label={t.dashboard.range} options={queueRanges.map((each) => [each, t.dashboard.ranges[each]] as const)} value={range} onChange={go} dense />}
      >
        <QueueCharts queue={queue.name} range={range} />
      </Panel>
      <div className={css.two}>
        <div className={css.column}>
          <QueueWaits queue={queue} ns={ns} />
          <RunningRuns queue={queue} ns={ns} />
          <FailedRuns queue={queue.name} ns={ns} />
        </div>
        <div className={css.column}>
          <Panel title={t.queues.facts}>
            <QueueFacts queue={queue} ns={ns} />
          </Panel>
          <QueueChanges queue={queue.name} ns={ns} />
        </div>
      </div>
      {open === 'limits' && <LimitsDialog queue={queue} onClose={() => setOpen(undefined)} />}
      {open === 'move' && <MoveDialog queue={queue} known={known} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

function QueueFacts({ queue, ns }: { queue: Queue; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const limit = (value: number | null | undefined) => (typeof value === 'number' ? formats.number(value) : t.queues.noLimit);
  const runs = (state: string, word: string) => (
    <Link key={state} className={css.count} to="/ns/$ns/runs" params={{ ns }} search={{ q: `queue:${quoted(queue.name)} state:${state}` }}>
      {word}
    </Link>
  );
  return (
    <Facts
      rows={[
        queue.paused && queue.paused_at
          ? [
              t.queues.pausedAt,
              <span key="by">
                <Instant at={queue.paused_at} relative /> {queue.paused_by && <Who by={queue.paused_by} />}
              </span>,
            ]
          : undefined,
        queue.pause_reason ? [t.common.reason, queue.pause_reason] : undefined,
        [t.queues.waiting, runs('queued', queue.queued >= 10_000 ? `≥ ${formats.number(10_000)}` : formats.number(queue.queued))],
        queue.oldest_due_at ? [t.queues.oldest, <Instant key="oldest" at={queue.oldest_due_at} relative focusable />] : undefined,
        [t.queues.running, runs('running', formats.number(queue.running))],
        [t.queues.maxRunning, limit(queue.max_running)],
        [t.queues.rate, queue.rate ? t.queues.rateOf(formats.number(queue.rate.count), formats.duration(queue.rate.per_ms)) : t.queues.noLimit],
        [t.queues.maxWaiting, limit(queue.max_waiting)],
        [t.queues.workers, <Link key="workers" className={css.count} to="/ns/$ns/workers" params={{ ns }}>{formats.number(queue.workers)}</Link>],
      ]}
    />
  );
}
