import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ban, CirclePause, CirclePlay, RotateCcw } from 'lucide-react';
import { idempotencyKey, send } from '@/api/client';
import { type Action, ActionBar } from '@/components/ActionBar';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches } from '@/components/Feedback';
import { Select } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { fillPath } from '@/lib/commands';
import { instant } from '@/lib/time';
import css from './Backfills.module.css';
import { BackfillBadge, BackfillProgress, ItemBadge } from './parts';
import { type Backfill, type BackfillItem, backfillItemsQuery, backfillQuery } from './queries';
import { backfillRoute } from './routes';

const states = ['open', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const;

/** A backfill: how far it is, how fast, and what became of each fire time. */
export function BackfillPage() {
  const t = useT();
  const { backfill } = backfillRoute.useParams();
  const query = useQuery(backfillQuery(backfill));
  return (
    <Loaded query={query} what={t.backfills.a}>
      {(found) => <Shown backfill={found} />}
    </Loaded>
  );
}

function Shown({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const formats = useFormats();
  const actions = useBackfillActions(backfill);
  const { namespace, job, items } = backfill;
  const ended = items.succeeded + items.failed + items.cancelled + items.skipped;
  const left = items.total - ended;
  const took = (backfill.ended_at ? instant(backfill.ended_at) : serverNow()) - instant(backfill.created_at);
  const each = ended > 0 ? took / ended : Number.NaN;
  return (
    <Page
      title={t.backfills.of(job, backfill.id)}
      trail={
        <>
          <Link to="/ns/$ns/backfills" params={{ ns: namespace }}>
            {t.shell.backfills}
          </Link>{' '}
          /{' '}
          <Link to="/ns/$ns/jobs/$job" params={{ ns: namespace, job }}>
            {job}
          </Link>
        </>
      }
      facts={<BackfillBadge backfill={backfill} strong />}
      actions={<ActionBar actions={actions} />}
    >
      <Panel>
        <div className={css.head}>
          <BackfillProgress backfill={backfill} />
          {backfill.cascade_of && (
            <Link to="/ns/$ns/backfills/$backfill" params={{ ns: namespace, backfill: backfill.cascade_of }}>
              {t.backfills.cascadeOf(backfill.cascade_of)}
            </Link>
          )}
          {backfill.reason && <p className={css.stale}>{t.said.failure(backfill.reason)}</p>}
          <Facts
            rows={[
              [t.backfills.range, <span key="range"><Instant at={backfill.from} zone={backfill.timezone} date /> – <Instant at={backfill.to} zone={backfill.timezone} date /></span>],
              [t.backfills.timezone, backfill.timezone],
              [t.backfills.trigger, `${backfill.trigger} · ${t.run.version(formats.number(backfill.job_version))}`],
              [t.backfills.reprocess, t.backfills.reprocesses[backfill.reprocess as 'missing']],
              [t.backfills.order, t.backfills.orders[backfill.order as 'asc']],
              [t.backfills.maxActive, formats.number(backfill.max_active)],
              [t.backfills.priority, formats.number(backfill.priority)],
              backfill.stop_on_failure ? [t.backfills.failure, t.backfills.stop] : undefined,
              [t.backfills.created, <span key="created"><Instant at={backfill.created_at} relative /> {backfill.created_by}</span>],
              backfill.ended_at ? [t.backfills.ended, <Instant key="ended" at={backfill.ended_at} relative />] : undefined,
              Number.isFinite(each) ? [t.backfills.rate, t.backfills.eachTakes(formats.duration(each))] : undefined,
              Number.isFinite(each) && left > 0 && backfill.state === 'active' ? [t.backfills.left, t.backfills.about(formats.duration(each * left))] : undefined,
              [t.backfills.plan, <code key="plan">{backfill.plan}</code>],
            ]}
          />
        </div>
      </Panel>
      <Items backfill={backfill} />
    </Page>
  );
}

function Items({ backfill }: { backfill: Backfill }) {
  const t = useT();
  const { state } = backfillRoute.useSearch();
  const navigate = useNavigate();
  const query = useInfiniteQuery(backfillItemsQuery(backfill.id, state));
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const set = (next: string | undefined) => void navigate({ to: '.', search: { state: next } as never, replace: true });
  const run = (id: string) => (
    <Link to="/ns/$ns/runs/$run" params={{ ns: backfill.namespace, run: id }}>
      {id}
    </Link>
  );
  const names: Column<BackfillItem>[] = rows.some((item) => item.logical_date)
    ? [{ id: 'date', header: t.backfills.logicalDate, width: '18rem', cell: ({ logical_date, fire_at }) => <Instant at={logical_date ?? fire_at} zone={backfill.timezone} date /> }]
    : [];
  const columns: Column<BackfillItem>[] = [
    ...names,
    { id: 'at', header: t.backfills.fireTime, width: '18rem', cell: ({ fire_at }) => <Instant at={fire_at} zone={backfill.timezone} date /> },
    { id: 'state', header: t.backfills.state, width: '9rem', cell: (item) => <ItemBadge state={item.state} /> },
    { id: 'action', header: t.backfills.action, width: '10rem', wide: true, cell: ({ action }) => t.backfills.actions[action as 'create'] ?? action },
    { id: 'run', header: t.backfills.run, wide: true, cell: ({ run: id }) => (id ? run(id) : t.common.none) },
    { id: 'before', header: t.backfills.existing, wide: true, cell: ({ rerun_of }) => (rerun_of ? run(rerun_of) : t.common.none) },
  ];
  return (
    <>
      <Select className={css.filter} aria-label={t.backfills.state} value={state ?? ''} onChange={(event) => set(event.target.value || undefined)}>
        <option value="">{t.common.all}</option>
        {states.map((each) => (
          <option key={each} value={each}>
            {each === 'open' ? t.backfills.open : t.states.words[each]}
          </option>
        ))}
      </Select>
      <DataTable
        label={t.backfills.items}
        columns={columns}
        rows={rows}
        rowKey={({ number }) => String(number)}
        onOpen={({ run: id }) => id && void navigate({ to: '/ns/$ns/runs/$run', params: { ns: backfill.namespace, run: id } })}
        more={{ has: query.hasNextPage, busy: query.isFetchingNextPage, load: () => void query.fetchNextPage() }}
        empty={query.isLoading ? undefined : <NothingMatches onClear={() => set(undefined)} />}
      />
    </>
  );
}

type Verb = 'pause' | 'resume' | 'cancel' | 'retry-failed';

function useBackfillActions(backfill: Backfill): Action[] {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const path = (verb: Verb) => fillPath(`/api/v1/backfills/{backfill}/${verb}`, { backfill: backfill.id });
  const act = useMutation({
    mutationFn: ({ verb, reason }: { verb: Verb; reason: string }) => send({ method: 'POST', path: path(verb), body: JSON.stringify(reason === '' ? {} : { reason }), headers: { 'idempotency-key': idempotencyKey() } }),
    onSuccess: (_, { verb }) => {
      toast({ tone: 'good', text: t.backfills.done[verb] });
      return Promise.all(['backfill', 'backfill-items', 'backfills'].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
    onError: (error, { verb }) => toastError(t.backfills.verbs[verb], error),
  });
  const action = (verb: Verb, icon: Action['icon'], more: Partial<Action> = {}): Action => ({
    id: verb,
    label: t.backfills.verbs[verb],
    icon,
    busy: act.isPending && act.variables.verb === verb,
    command: { cli: ['backfill', verb, backfill.id], http: { method: 'POST', path: path(verb), body: {} } },
    run: () => act.mutate({ verb, reason: '' }),
    ...more,
  });
  const isFinal = backfill.state === 'completed' || backfill.state === 'cancelled';
  const { failed, open, running } = backfill.items;
  return [
    ...(isFinal ? [] : [backfill.state === 'paused' ? action('resume', CirclePlay, { tone: 'primary', keys: 's' }) : action('pause', CirclePause, { keys: 's' })]),
    action('retry-failed', RotateCcw, { disabledReason: failed === 0 ? t.backfills.noneFailed : backfill.state === 'cancelled' ? t.backfills.isCancelled : undefined, ...(isFinal && failed > 0 ? { tone: 'primary' as const } : {}) }),
    action('cancel', Ban, {
      tone: 'danger',
      disabledReason: isFinal ? t.backfills.isOver : undefined,
      run: () => void confirm({ title: t.backfills.cancelTitle(backfill.job), text: t.backfills.cancelText(formats.number(open), formats.number(running)), action: t.backfills.verbs.cancel, tone: 'danger', reason: true }).then((yes) => yes && act.mutate({ verb: 'cancel', reason: yes.reason })),
    }),
  ];
}
