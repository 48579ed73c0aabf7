import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Rewind, TriangleAlert } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { api, ask, idempotencyKey, raw } from '@/api/client';
import { asApiError } from '@/api/problem';
import { ActionBar } from '@/components/ActionBar';
import { type Column, DataTable } from '@/components/DataTable';
import { Skeleton } from '@/components/Feedback';
import { CheckBox, Field, Select, TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Page, Panel } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import type { State } from '@/states';
import { useSettled } from '../editor/SchedulePreview';
import { triggersQuery } from '../job/queries';
import css from './Backfills.module.css';
import { type Wish, cliOf, differences, keyOf, monthsOf, runsOf, specOf } from './plan';
import { type BackfillPlan, type BackfillPlanItem, backfillPlanQuery } from './queries';
import { newBackfillRoute } from './routes';

const WAIT_MS = 350;
const looks: Record<string, State> = { create: 'scheduled', rerun: 'retrying', keep: 'succeeded', active: 'running', absent: 'skipped' };

/** Says which fire times of the past are to run. The plan that is shown is the one that is started, or none is. */
export function NewBackfillPage() {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { ns } = newBackfillRoute.useParams();
  const wish: Wish = newBackfillRoute.useSearch();
  const list = useId();
  const settled = useSettled(JSON.stringify(wish), WAIT_MS);
  const spec = useMemo(() => specOf(JSON.parse(settled) as Wish), [settled]);
  const job = (JSON.parse(settled) as Wish).job ?? '';
  const query = useQuery(backfillPlanQuery(ns, job, spec));
  const triggers = useQuery({ ...triggersQuery(ns, job), enabled: job !== '', retry: false }).data?.items ?? [];
  const jobs = useQuery({
    queryKey: ['job-names', ns, wish.job ?? ''],
    queryFn: async ({ signal }) => (await raw<{ items: { name: string }[] }>('GET', `${fillPath('/api/v1/namespaces/{namespace}/jobs', { namespace: ns })}?limit=20&q=${encodeURIComponent(wish.job ?? '')}`, undefined, signal)).items,
    retry: false,
  }).data ?? [];
  const [refused, setRefused] = useState<BackfillPlan>();
  const isSettled = settled === JSON.stringify(wish);
  const plan = spec && isSettled ? query.data : undefined;
  const changed = plan ? differences(refused, plan) : new Map<string, string | undefined>();
  const set = (change: Wish) => {
    setRefused(undefined);
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never);
  };
  const start = useMutation({
    mutationFn: (of: BackfillPlan) => ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/backfills', { params: { path: { namespace: ns, job }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { ...(spec ?? { from: '' }), plan: of.hash } })),
    onSuccess: (made) => {
      toast({ tone: 'good', text: t.backfills.started });
      void client.invalidateQueries({ queryKey: ['backfills'] });
      void navigate({ to: '/ns/$ns/backfills/$backfill', params: { ns: made.namespace, backfill: made.id } });
    },
    onError: (error, of) => {
      if (asApiError(error).code !== 'backfill.stale') return;
      setRefused(of);
      void client.invalidateQueries({ queryKey: ['backfill-plan', ns, job] });
    },
  });
  const problem = start.error ? asApiError(start.error) : query.error && isSettled ? asApiError(query.error) : undefined;
  const isStale = problem?.code === 'backfill.stale';
  const runs = plan ? runsOf(plan) : 0;
  const text = (key: 'from' | 'to' | 'tasks' | 'timezone' | 'priority', label: string, more: { hint?: string; placeholder?: string } = {}) => {
    const { hint, ...input } = more;
    return (
      <Field label={label} hint={hint}>
        {(field) => <TextInput {...field} {...input} value={wish[key] ?? ''} onChange={(event) => set({ [key]: event.target.value || undefined })} />}
      </Field>
    );
  };
  const check = (key: 'downstream' | 'upstream' | 'create_missing' | 'cascade', label: string) => <CheckBox label={label} checked={wish[key] === 'true'} onChange={(event) => set({ [key]: event.target.checked ? 'true' : undefined })} />;
  return (
    <Page
      title={t.backfills.create}
      trail={
        <Link to="/ns/$ns/backfills" params={{ ns }}>
          {t.shell.backfills}
        </Link>
      }
      actions={
        <ActionBar
          actions={[
            {
              id: 'start',
              label: plan ? t.backfills.start(formats.number(runs)) : t.backfills.startWord,
              icon: Rewind,
              tone: 'primary',
              busy: start.isPending,
              disabledReason: !spec ? t.backfills.needsRange : !plan ? (problem ? t.said.say(problem.code, problem.message) : t.backfills.planning) : runs === 0 ? t.backfills.nothing : undefined,
              command: { cli: cliOf(ns, job || 'JOB', spec ?? { from: '' }, plan?.hash), http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/backfills', { namespace: ns, job: job || 'JOB' }), body: { ...spec, ...(plan ? { plan: plan.hash } : {}) } } },
              run: () => plan && start.mutate(plan),
            },
          ]}
        />
      }
    >
      <Panel title={t.backfills.wish}>
        <div className={css.form}>
          <Field label={t.backfills.job}>{(field) => <TextInput {...field} mono list={list} value={wish.job ?? ''} onChange={(event) => set({ job: event.target.value || undefined, trigger: undefined })} />}</Field>
          <datalist id={list}>
            {jobs.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {text('from', t.backfills.from, { hint: t.backfills.fromHint, placeholder: '2026-07-01' })}
          {text('to', t.backfills.to, { hint: t.backfills.toHint, placeholder: t.backfills.now })}
          {text('timezone', t.backfills.timezone, { placeholder: plan?.timezone ?? t.backfills.zoneDefault })}
          {triggers.length > 1 && (
            <Field label={t.backfills.trigger}>
              {(field) => (
                <Select {...field} value={wish.trigger ?? ''} onChange={(event) => set({ trigger: event.target.value || undefined })}>
                  <option value="">{t.backfills.chooseTrigger}</option>
                  {triggers.map(({ name }) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          )}
          <Field label={t.backfills.reprocess}>
            {(field) => (
              <Select {...field} value={wish.reprocess ?? 'missing'} onChange={(event) => set({ reprocess: event.target.value as Wish['reprocess'] })}>
                {(['missing', 'failed', 'all', 'tasks', 'failed_tasks'] as const).map((each) => (
                  <option key={each} value={each}>
                    {t.backfills.reprocesses[each]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {wish.reprocess === 'tasks' && text('tasks', t.backfills.tasks, { hint: t.backfills.tasksHint })}
          {wish.reprocess === 'tasks' && check('downstream', t.rerun.downstream)}
          {wish.reprocess === 'tasks' && check('upstream', t.rerun.upstream)}
          {(wish.reprocess === 'tasks' || wish.reprocess === 'failed_tasks') && check('create_missing', t.backfills.createMissing)}
          {check('cascade', t.backfills.cascade)}
          <Field label={t.backfills.order}>
            {(field) => (
              <Select {...field} value={wish.order ?? 'asc'} onChange={(event) => set({ order: event.target.value as Wish['order'] })}>
                <option value="asc">{t.backfills.orders.asc}</option>
                <option value="desc">{t.backfills.orders.desc}</option>
              </Select>
            )}
          </Field>
          <Field label={t.backfills.maxActive}>{(field) => <TextInput {...field} inputMode="numeric" placeholder="1" value={wish.max_active === undefined ? '' : String(wish.max_active)} onChange={(event) => set({ max_active: /^\d{1,4}$/.test(event.target.value) ? Number(event.target.value) : undefined })} />}</Field>
          {text('priority', t.backfills.priority, { placeholder: plan ? formats.number(plan.priority) : t.backfills.priorityDefault })}
          <CheckBox label={t.backfills.stop} checked={wish.stop === 'true'} onChange={(event) => set({ stop: event.target.checked ? 'true' : undefined })} />
        </div>
      </Panel>
      {problem && (
        <p className={isStale ? css.stale : css.problem} role="alert">
          <TriangleAlert size={14} aria-hidden="true" /> {isStale ? t.backfills.stale(formats.number(changed.size)) : t.said.both(problem)}
        </p>
      )}
      {!spec ? <p className={css.quiet}>{t.backfills.needsRange}</p> : plan ? <Plan plan={plan} changed={changed} /> : !problem && <Skeleton lines={6} />}
    </Page>
  );
}

/** What would happen, by month and fire time. */
function Plan({ plan, changed }: { plan: BackfillPlan; changed: ReadonlyMap<string, string | undefined> }) {
  const t = useT();
  const formats = useFormats();
  const { ns } = newBackfillRoute.useParams();
  const { actions, below } = plan;
  const months = monthsOf(plan.items.filter(({ job }) => !job), plan.timezone);
  const most = Math.max(1, ...months.map(({ runs, kept }) => runs + kept));
  const word = (action: string | undefined) => (action === undefined ? t.common.none : (t.backfills.actions[action as keyof typeof t.backfills.actions] ?? action));
  const levels: Column<BackfillPlanItem>[] = plan.cascade
    ? [
        { id: 'level', header: t.backfills.level, width: '5rem', cell: ({ level }) => formats.number(level ?? 0) },
        { id: 'job', header: t.backfills.job, width: '12rem', cell: ({ job }) => job ?? plan.job },
        { id: 'why', header: t.backfills.why, wide: true, cell: ({ why }) => why ?? t.common.none },
      ]
    : [];
  const names: Column<BackfillPlanItem>[] = plan.items.some((item) => item.logical_date)
    ? [{ id: 'date', header: t.backfills.logicalDate, width: '18rem', cell: ({ logical_date, fire_at }) => <Instant at={logical_date ?? fire_at} zone={plan.timezone} date /> }]
    : [];
  const columns: Column<BackfillPlanItem>[] = [
    ...levels,
    ...names,
    { id: 'at', header: t.backfills.fireTime, width: '18rem', cell: ({ fire_at }) => <Instant at={fire_at} zone={plan.timezone} date /> },
    {
      id: 'action',
      header: t.backfills.action,
      width: '14rem',
      cell: ({ action, tasks, reason, ...item }) => (
        <span>
          {changed.has(keyOf({ action, ...item })) && <del className={css.before}>{word(changed.get(keyOf({ action, ...item })))}</del>}
          <StateBadge state={looks[action] ?? 'waiting'} word={word(action)} />
          {typeof tasks === 'number' && ` ${t.backfills.tasksOf(formats.number(tasks))}`}
          {reason && <span className={css.quiet}> {reason}</span>}
        </span>
      ),
    },
    {
      id: 'run',
      header: t.backfills.existing,
      wide: true,
      cell: ({ run }) =>
        run ? (
          <Link to="/ns/$ns/runs/$run" params={{ ns, run }}>
            {run}
          </Link>
        ) : (
          t.common.none
        ),
    },
  ];
  return (
    <Panel title={t.backfills.plan} aside={<code>{plan.hash}</code>} flush>
      <div className={css.summary}>
        <p>
          {t.backfills.summary(formats.number(actions.create + actions.rerun + actions.keep + actions.active + (actions.absent ?? 0)), formats.number(actions.create), formats.number(actions.rerun), formats.number(actions.keep), formats.number(actions.active))}{plan.part && (actions.absent ?? 0) > 0 && ` ${t.backfills.absentOf(formats.number(actions.absent ?? 0))}`}{' '}
          {below && `${t.backfills.below(formats.number(below.create), formats.number(below.rerun))} `}
          <span className={css.quiet}>
            {plan.timezone} · {t.run.version(formats.number(plan.job_version))} · {plan.trigger}
          </span>
        </p>
        <ul className={css.months} aria-label={t.backfills.byMonth}>
          {months.map(({ month, runs, kept }) => (
            <li key={month}>
              <span>{month}</span>
              <span className={css.bar} aria-hidden="true">
                <i style={{ width: `${(runs / most) * 100}%` }} data-runs />
                <i style={{ width: `${(kept / most) * 100}%` }} />
              </span>
              <span>{t.backfills.monthOf(formats.number(runs), formats.number(kept))}</span>
            </li>
          ))}
        </ul>
        {plan.next_cursor && <p className={css.quiet}>{t.backfills.firstRows(formats.number(plan.items.length))}</p>}
      </div>
      <DataTable label={t.backfills.plan} columns={columns} rows={plan.items} rowKey={keyOf} rowTone={(item) => (changed.has(keyOf(item)) ? 'bad' : item.action === 'keep' || item.action === 'active' || item.action === 'absent' ? 'muted' : undefined)} empty={<p className={css.none}>{t.backfills.emptyRange}</p>} />
    </Panel>
  );
}
