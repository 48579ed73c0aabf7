import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowRightLeft, Ellipsis, Pause, Play, SlidersHorizontal, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Sparkline } from '@/components/Lines';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { useFormats, useT } from '@/i18n';
import { LabelLimits } from './LabelLimits';
import { LimitsDialog } from './LimitsDialog';
import { MoveDialog } from './MoveDialog';
import { PressureBadge } from './PressureBadge';
import { aMinute } from './pressure';
import { type Queue, queuesQuery } from './queries';
import css from './Queues.module.css';
import { queuesRoute } from './routes';
import { pauseCommand, usePause } from './usePause';

export function QueuesPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = queuesRoute.useParams();
  const navigate = useNavigate();
  const open = (queue: string) => void navigate({ to: '/ns/$ns/queues/$queue', params: { ns, queue } });
  const query = useQuery(queuesQuery);
  const [setting, setSetting] = useState<Queue>();
  const [moving, setMoving] = useState<Queue>();
  const setPaused = usePause();
  const columns: Column<Queue>[] = [
    {
      id: 'name',
      header: t.queues.name,
      cell: (queue) => (
        <Link to="/ns/$ns/queues/$queue" params={{ ns, queue: queue.name }} className={css.name}>
          {queue.name}
        </Link>
      ),
    },
    {
      id: 'state',
      header: t.queues.state,
      width: '7rem',
      cell: (queue) => (
        <span className={queue.paused ? css.paused : css.open}>
          {queue.paused ? <Pause size={12} aria-hidden="true" /> : <Play size={12} aria-hidden="true" />}
          {queue.paused ? t.queues.paused : t.queues.open}
        </span>
      ),
    },
    { id: 'waiting', header: t.queues.waiting, width: '6rem', align: 'end', cell: (queue) => <Depth queue={queue} /> },
    { id: 'lately', header: t.queues.lately, width: '8rem', cell: (queue) => <Lately queue={queue} /> },
    { id: 'wait', header: t.queues.waitP95, width: '6.5rem', align: 'end', wide: true, cell: (queue) => (queue.lately?.wait_p95_ms == null ? '—' : formats.duration(queue.lately.wait_p95_ms)) },
    {
      id: 'flow',
      header: t.queues.flow,
      width: '7rem',
      align: 'end',
      wide: true,
      cell: (queue) => (queue.lately ? `${formats.number(aMinute(queue.lately.arrived))} / ${formats.number(aMinute(queue.lately.left))}` : '—'),
    },
    {
      id: 'running',
      header: t.queues.running,
      width: '9rem',
      align: 'end',
      cell: (queue) =>
        typeof queue.max_running === 'number' ? (
          <span className={css.used}>
            {t.queues.running_of(formats.number(queue.running), formats.number(queue.max_running))}
            <meter min={0} max={queue.max_running} value={queue.running} aria-label={t.queues.running} />
          </span>
        ) : (
          formats.number(queue.running)
        ),
    },
    { id: 'oldest', header: t.queues.oldest, width: '13rem', wide: true, cell: (queue) => <Instant at={queue.oldest_due_at} relative /> },
    { id: 'rate', header: t.queues.rate, width: '9rem', wide: true, cell: (queue) => (queue.rate ? t.queues.rateOf(formats.number(queue.rate.count), formats.duration(queue.rate.per_ms)) : t.queues.noLimit) },
    {
      id: 'workers',
      header: t.queues.workers,
      width: '7rem',
      align: 'end',
      wide: true,
      cell: (queue) => formats.number(queue.workers),
    },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (queue) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={queue.paused ? Play : Pause} onSelect={() => void setPaused(queue)}>
            {queue.paused ? t.queues.resume : t.queues.pause}
          </MenuItem>
          <MenuItem icon={SlidersHorizontal} onSelect={() => setSetting(queue)}>
            {t.queues.set}
          </MenuItem>
          <MenuItem icon={ArrowRightLeft} disabledReason={queue.name.startsWith('xxl.') ? t.queues.moveExecutors : queue.queued === 0 ? t.queues.nothingWaits : undefined} onSelect={() => setMoving(queue)}>
            {t.queues.move}
          </MenuItem>
          <MenuLine />
          <CopyItems command={pauseCommand(queue)} />
        </Menu>
      ),
    },
  ];
  return (
    <Page title={t.shell.queues}>
      <Loaded query={query} what={t.queues.what}>
        {(queues) => (
          <DataTable
            label={t.shell.queues}
            columns={columns}
            rows={queues}
            rowKey={(queue) => queue.name}
            rowName={(queue) => queue.name}
            onOpen={(queue) => open(queue.name)}
            empty={<NothingYet what={t.queues.what}><Prose text={t.queues.emptyText} /></NothingYet>}
          />
        )}
      </Loaded>
      <LabelLimits />
      {moving && <MoveDialog queue={moving} known={query.data ?? []} onClose={() => setMoving(undefined)} />}
      {setting && <LimitsDialog queue={setting} onClose={() => setSetting(undefined)} />}
    </Page>
  );
}

/** What waited in the last five minutes, and whether it becomes more. */
function Lately({ queue: { lately, ...queue } }: { queue: Queue }) {
  const t = useT();
  const formats = useFormats();
  if (!lately || lately.depths.every((depth) => depth === 0)) return null;
  return (
    <span className={css.lately}>
      <Sparkline values={lately.depths} label={t.queues.latelyWords(lately.depths.map((depth) => formats.number(depth)).join(', '))} />
      <PressureBadge queue={{ ...queue, lately }} short />
    </span>
  );
}

function Depth({ queue }: { queue: Queue }) {
  const t = useT();
  const formats = useFormats();
  const full = typeof queue.max_waiting === 'number' && queue.queued >= queue.max_waiting;
  return (
    <span className={full ? css.full : undefined} title={full ? t.queues.maxWaiting : undefined}>
      {full && <TriangleAlert size={12} aria-hidden="true" />}
      {queue.queued >= 10_000 ? `≥ ${formats.number(10_000)}` : formats.number(queue.queued)}
    </span>
  );
}
