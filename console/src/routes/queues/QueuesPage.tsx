import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowRightLeft, Ellipsis, Pause, Play, SlidersHorizontal, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { LabelLimits } from './LabelLimits';
import { LimitsDialog } from './LimitsDialog';
import { MoveDialog } from './MoveDialog';
import { QueueDialog } from './QueueDialog';
import { type Queue, queuesQuery } from './queries';
import css from './Queues.module.css';
import { queuesRoute } from './routes';

export function QueuesPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = queuesRoute.useParams();
  const search = queuesRoute.useSearch();
  const navigate = useNavigate();
  const show = (queue: string | undefined) => void navigate({ to: '.', search: { queue }, replace: true });
  const query = useQuery(queuesQuery);
  const [setting, setSetting] = useState<Queue>();
  const [moving, setMoving] = useState<Queue>();
  const setPaused = usePause();
  const chosen = query.data?.find(({ name }) => name === search.queue);
  const columns: Column<Queue>[] = [
    {
      id: 'name',
      header: t.queues.name,
      cell: (queue) => (
        <Link to="/ns/$ns/runs" params={{ ns }} search={{ q: `queue:${queue.name} state:queued,running` }} className={css.name} title={t.queues.seeRuns}>
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
          <CopyItems
            command={{
              cli: ['queue', queue.paused ? 'resume' : 'pause', queue.name],
              http: { method: 'POST', path: queue.paused ? fillPath('/api/v1/queues/{queue}/resume', { queue: queue.name }) : fillPath('/api/v1/queues/{queue}/pause', { queue: queue.name }), body: {} },
            }}
          />
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
            onOpen={(queue) => show(queue.name)}
            empty={<NothingYet what={t.queues.what}><Prose text={t.queues.emptyText} /></NothingYet>}
          />
        )}
      </Loaded>
      <LabelLimits />
      {chosen && !setting && (
        <QueueDialog
          queue={chosen}
          ns={ns}
          onSet={() => {
            show(undefined);
            setSetting(chosen);
          }}
          onPause={() => void setPaused(chosen)}
          onClose={() => show(undefined)}
        />
      )}
      {moving && <MoveDialog queue={moving} known={query.data ?? []} onClose={() => setMoving(undefined)} />}
      {setting && <LimitsDialog queue={setting} onClose={() => setSetting(undefined)} />}
    </Page>
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

function usePause(): (queue: Queue) => Promise<void> {
  const t = useT();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ queue, paused, reason }: { queue: string; paused: boolean; reason: string }) => {
      const params = { path: { queue }, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return paused ? ask(api.POST('/api/v1/queues/{queue}/pause', { params, body })) : ask(api.POST('/api/v1/queues/{queue}/resume', { params, body }));
    },
    onMutate: ({ queue, paused }) => {
      const before = client.getQueryData(queuesQuery.queryKey);
      client.setQueryData(queuesQuery.queryKey, before?.map((one) => (one.name === queue ? { ...one, paused } : one)));
      return before;
    },
    onSuccess: (_, { queue, paused }) => {
      void client.invalidateQueries({ queryKey: queuesQuery.queryKey });
      toast({ tone: 'good', text: paused ? t.queues.pausedDone : t.queues.resumedDone, undo: () => change.mutate({ queue, paused: !paused, reason: '' }) });
    },
    onError: (error, { paused }, before) => {
      client.setQueryData(queuesQuery.queryKey, before);
      toastError(paused ? t.queues.pause : t.queues.resume, error);
    },
  });
  return async (queue) => {
    if (queue.paused) return change.mutate({ queue: queue.name, paused: false, reason: '' });
    const yes = await confirm({ title: t.queues.pauseTitle(queue.name), text: t.queues.pauseText, action: t.queues.pause, reason: true });
    if (yes) change.mutate({ queue: queue.name, paused: true, reason: yes.reason });
  };
}
