import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowDownUp, ArrowLeftRight, FileCode2, List, MessageSquareWarning, Network, Trash2 } from 'lucide-react';
import { Suspense, lazy } from 'react';
import { api, ask } from '@/api/client';
import { ActionBar } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Page } from '@/components/Page';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { useKeys } from '@/lib/keys';
import panel from '../workflow/Workflow.module.css';
import { useDirection } from '../workflow/useDirection';
import { FlowCanvas } from './FlowCanvas';
import { FlowPanel } from './FlowPanel';
import { Bulletins, FlowTables } from './FlowTables';
import css from './Flows.module.css';
import { QueueDialog } from './QueueDialog';
import { bulletinsOf, isStarted } from './model';
import { FLOW, type Flow, flowQuery } from './queries';
import { type FlowView, flowRoute, flowViews } from './routes';
import { useFlowActions } from './useFlowActions';

// The editor's libraries arrive with the file, and not before.
const FlowFile = lazy(() => import('./FlowFile').then((module) => ({ default: module.FlowFile })));

const icons = { canvas: Network, list: List, bulletins: MessageSquareWarning, file: FileCode2 };

/** A flow at work: its components and queues as they are now, what they say, and its file. */
export function FlowPage() {
  const t = useT();
  const { ns, flow: name } = flowRoute.useParams();
  const query = useQuery(flowQuery(ns, name));
  const trail = (
    <Link to="/ns/$ns/flows" params={{ ns }}>
      {t.shell.flows}
    </Link>
  );
  if (query.data) return <Shown flow={query.data} trail={trail} />;
  return (
    <Page title={name} trail={trail}>
      <Loaded query={query} what={name} skeleton={<Skeleton lines={12} />}>
        {() => null}
      </Loaded>
    </Page>
  );
}

function Shown({ flow, trail }: { flow: Flow; trail: React.ReactNode }) {
  const t = useT();
  const formats = useFormats();
  const { view = 'canvas', at, dir: asked, queue, item } = flowRoute.useSearch();
  const { direction: dir, turned } = useDirection(asked);
  const navigate = useNavigate();
  const remove = useRemove(flow);
  const { make } = useFlowActions(flow);
  const set = (change: object) => void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never);
  const show = (next: FlowView) => set({ view: next === 'canvas' ? undefined : next, ...(next === 'file' ? { at: undefined, queue: undefined, item: undefined } : {}) });
  const other = view === 'canvas' ? 'list' : 'canvas';
  useKeys([{ keys: 'v', label: t.flows.views[other], group: t.shell.groupPage, run: () => show(other) }]);
  const running = flow.components.filter(isStarted).length;
  const active = flow.components.reduce((sum, component) => sum + component.active, 0);
  const bulletins = bulletinsOf(flow).length;
  const choose = (name: string | undefined) => set({ at: name });
  const onQueue = (connection: string | undefined) => set({ queue: connection, item: undefined });
  const listed = flow.connections.find(({ name }) => name === queue);
  return (
    <Page
      title={flow.name}
      fill={view === 'canvas' || view === 'file'}
      trail={trail}
      facts={
        <>
          <span>{running === 0 ? t.flows.words.stopped : t.flows.partly(formats.number(running), formats.number(flow.components.length))}</span>
          {active > 0 && <span>{t.flows.active(formats.number(active))}</span>}
          <span>{t.flows.versionOf(formats.number(flow.version))}</span>
        </>
      }
      actions={
        <ActionBar
          actions={[
            make('start', undefined, { tone: 'primary', disabledReason: running === flow.components.length ? t.flows.isRunning : undefined }),
            make('stop', undefined, { disabledReason: running === 0 ? t.flows.isStopped : undefined }),
            make('terminate', undefined, { tone: 'danger', hidden: true, disabledReason: running > 0 ? t.flows.stopFirst : active === 0 ? t.flows.nothingActive : undefined }),
            {
              id: 'delete',
              label: t.flows.remove,
              icon: Trash2,
              tone: 'danger',
              hidden: true,
              disabledReason: running > 0 ? t.flows.stopFirst : undefined,
              command: { cli: ['flow', 'delete', flow.name], http: { method: 'DELETE', path: fillPath(FLOW, { namespace: flow.namespace, flow: flow.name }) } },
              run: remove,
            },
          ]}
        />
      }
    >
      <div className={panel.bar}>
        <div className={panel.views} role="group" aria-label={t.flows.view}>
          {flowViews.map((each) => (
            <Button key={each} size="s" icon={icons[each]} tone="quiet" aria-pressed={view === each} onClick={() => show(each)}>
              {t.flows.views[each]}
              {each === 'bulletins' && bulletins > 0 && <span className={css.count}>{formats.number(bulletins)}</span>}
            </Button>
          ))}
        </div>
        {view === 'canvas' && (
          <Button size="s" tone="quiet" icon={dir === 'LR' ? ArrowDownUp : ArrowLeftRight} onClick={() => set({ dir: turned() })}>
            {dir === 'LR' ? t.workflow.topDown : t.workflow.leftRight}
          </Button>
        )}
        {flow.spec.description && <span className={css.quiet}>{flow.spec.description}</span>}
      </div>
      {view === 'file' ? (
        <Suspense fallback={<Skeleton lines={12} />}>
          <FlowFile flow={flow} />
        </Suspense>
      ) : view === 'bulletins' ? (
        <Bulletins flow={flow} onChoose={(name) => set({ at: name, view: undefined })} />
      ) : view === 'list' ? (
        <FlowTables flow={flow} onChoose={(name) => set({ at: name, view: undefined })} onQueue={onQueue} />
      ) : (
        <div className={panel.body} data-panel={at ? true : undefined}>
          <FlowCanvas flow={flow} direction={dir} chosen={at} onChoose={choose} onQueue={onQueue} />
          {at && <FlowPanel key={at} name={at} flow={flow} onChoose={choose} onQueue={onQueue} />}
        </div>
      )}
      {listed && <QueueDialog flow={flow} connection={listed} item={item} onItem={(id) => set({ item: id })} onClose={() => onQueue(undefined)} />}
    </Page>
  );
}

function useRemove(flow: Flow): () => void {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { namespace, name } = flow;
  const items = flow.connections.reduce((sum, connection) => sum + connection.items, 0);
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE(FLOW, { params: { path: { namespace, flow: name } } })),
    onSuccess: async () => {
      toast({ tone: 'good', text: t.flows.removed });
      await navigate({ to: '/ns/$ns/flows', params: { ns: namespace } });
      client.removeQueries({ queryKey: ['flow', namespace, name] });
      void client.invalidateQueries({ queryKey: ['flows'] });
    },
    onError: (error) => toastError(t.flows.remove, error),
  });
  return () => void confirm({ title: t.flows.removeTitle(name), text: t.flows.removeText(formats.number(items)), action: t.flows.remove, tone: 'danger', typed: name }).then((yes) => yes && remove.mutate());
}
