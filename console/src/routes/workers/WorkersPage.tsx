import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, History, LogIn, LogOut, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page, Panel } from '@/components/Page';
import { toast, toastError } from '@/components/toast';
import { WorkerLink } from '@/components/WorkerLink';
import { useT } from '@/i18n';
import { serverNow, useNow } from '@/lib/clock';
import { fillPath } from '@/lib/commands';
import { instant } from '@/lib/time';
import { ClockOffset } from './ClockOffset';
import { ConnectDialog } from './ConnectDialog';
import { type Worker, type WorkerToken, runsOf, tokensQuery, workersQuery } from './queries';
import { workersRoute } from './routes';
import { Slots } from './Slots';
import { standingOf } from './standing';
import { StandingBadge } from './StandingBadge';
import { drainCommand, lookAt, useDrain, useForget } from './useWorkerActions';
import css from './Workers.module.css';

export function WorkersPage() {
  const t = useT();
  const { ns } = workersRoute.useParams();
  const navigate = useNavigate();
  const query = useQuery(workersQuery);
  const [connecting, setConnecting] = useState(false);
  const now = useNow();
  const { forget } = useForget();
  const { drain } = useDrain();
  const columns: Column<Worker>[] = [
    { id: 'name', header: t.workers.name, cell: (worker) => <strong><WorkerLink ns={ns} name={worker.name} /></strong> },
    {
      id: 'slots',
      header: t.workers.slots,
      width: '10rem',
      cell: (worker) => <Slots worker={worker} />,
    },
    { id: 'state', header: t.workers.state, width: '9rem', cell: (worker) => <StandingBadge standing={standingOf(worker, now)} /> },
    { id: 'queues', header: t.workers.queues, wide: true, cell: (worker) => worker.queues.join(', ') },
    { id: 'labels', header: t.workers.labels, wide: true, cell: (worker) => Object.entries(worker.labels ?? {}).map(([name, value]) => `${name}=${value}`).join(', ') || t.common.none },
    { id: 'heard', header: t.workers.heard, width: '12rem', cell: (worker) => <Instant at={worker.heard_at} relative /> },
    { id: 'clock', header: t.workers.clock, width: '6rem', align: 'end', wide: true, cell: (worker) => <ClockOffset worker={worker} /> },
    { id: 'node', header: t.workers.node, width: '8rem', wide: true, cell: (worker) => worker.node ?? t.common.none },
    { id: 'version', header: t.workers.version, width: '9rem', wide: true, cell: (worker) => worker.version ?? t.common.none },
    { id: 'joined', header: t.workers.joined, optional: true, cell: (worker) => <Instant at={worker.joined_at} /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (worker) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={History} onSelect={() => void navigate({ to: '/ns/$ns/runs', params: { ns }, search: { q: `${runsOf(worker.name)} state:running` } })}>
            {t.workers.running}
          </MenuItem>
          <MenuItem icon={worker.draining ? LogIn : LogOut} onSelect={() => void drain(worker)}>
            {worker.draining ? t.workers.undrain : t.workers.drain}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => void forget(worker)}>
            {t.workers.forget}
          </MenuItem>
          <MenuLine />
          <CopyItems command={[lookAt(worker), drainCommand(worker)]} />
        </Menu>
      ),
    },
  ];
  const connect = (
    <Button tone="primary" icon={Plus} onClick={() => setConnecting(true)}>
      {t.workers.connect}
    </Button>
  );
  return (
    <Page title={t.shell.workers} actions={connect}>
      <Loaded query={query} what={t.workers.what}>
        {(workers) => (
          <DataTable label={t.shell.workers} columns={columns} rows={workers} rowKey={(worker) => worker.id} rowName={(worker) => worker.name} onOpen={(worker) => void navigate({ to: '/ns/$ns/workers/$worker', params: { ns, worker: worker.name } })} empty={<NothingYet what={t.workers.what} actions={connect}>{t.workers.emptyText}</NothingYet>} />
        )}
      </Loaded>
      <Tokens />
      {connecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </Page>
  );
}

function Tokens() {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery(tokensQuery);
  const remove = useMutation({
    mutationFn: (token: string) => ask(api.DELETE('/api/v1/worker-tokens/{token}', { params: { path: { token } } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: tokensQuery.queryKey });
      toast({ tone: 'good', text: t.workers.removed });
    },
    onError: (error) => toastError(t.workers.remove, error),
  });
  return (
    <Panel title={t.workers.tokens}>
      <Loaded query={query} what={t.workers.tokens}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className={css.quiet}>{t.workers.tokensText}</p>
          ) : (
            <ul className={css.tokens}>
              {tokens.map((token) => (
                <li key={token.name}>
                  <strong>{token.name}</strong>
                  <span>{token.queues.length > 0 ? token.queues.join(', ') : t.workers.allQueues}</span>
                  <Ends token={token} />
                  <IconButton label={t.workers.remove} icon={Trash2} onClick={() => void confirm({ title: t.workers.removeTitle(token.name), text: t.workers.removeText, action: t.workers.remove, tone: 'danger', command: { cli: ['worker', 'token', 'revoke', token.name], http: { method: 'DELETE', path: fillPath('/api/v1/worker-tokens/{token}', { token: token.name }) } } }).then((yes) => yes && remove.mutate(token.name))} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

const SOON_MS = 14 * 86_400_000;

function Ends({ token }: { token: WorkerToken }) {
  const t = useT();
  if (!token.expires_at) return <span className={css.quiet}>{t.workers.never}</span>;
  const left = instant(token.expires_at) - serverNow();
  return (
    <span className={left < SOON_MS ? css.soon : undefined}>
      {left < 0 ? t.workers.expired : t.workers.expires} <Instant at={token.expires_at} relative />
    </span>
  );
}
