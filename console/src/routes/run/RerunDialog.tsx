import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { asApiError } from '@/api/problem';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Dialog } from '@/components/Dialog';
import { Failure, Skeleton } from '@/components/Feedback';
import { CheckBox, Field, Select, TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Menu } from '@/components/Menu';
import { StateBadge } from '@/components/StateBadge';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { type State, asState, isFinal } from '@/states';
import { GraphView } from '../workflow/GraphView';
import { graphOf } from '../workflow/graph';
import { definedTasksQuery } from '../workflow/queries';
import css from './Rerun.module.css';
import type { Run } from './queries';
import { type BackfillPlanItem, type Choice, type RerunPlan, type RerunTask, cliOf, dateKey, differences, planQuery, requestOf } from './rerun';

const ways: readonly Choice['which'][] = ['failed', 'tasks', 'missing', 'all'];
/** What becomes of a task, as a state that the console draws. */
const looks: Record<string, State> = { rerun: 'retrying', keep: 'succeeded', goes_on: 'running', cannot_run: 'failed', gone: 'cancelled' };

/** Chooses tasks of a workflow run, shows what would happen, and does just that. */
export function RerunDialog({ run, from, onClose }: { run: Run; from?: readonly string[] | undefined; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const navigate = useNavigate();
  // In a run that goes on, the tasks run again in the run itself.
  const live = !isFinal(run.state);
  const [choice, setChoice] = useState<Choice>(() => ({ which: from || live ? 'tasks' : run.state === 'failed' || run.state === 'cancelled' ? 'failed' : 'all', tasks: new Set(from), downstream: from !== undefined, upstream: false, version: 'pinned', cancelRunning: false }));
  const [reason, setReason] = useState('');
  // The plan that was refused, to show what is different now.
  const [refused, setRefused] = useState<RerunPlan>();
  const request = useMemo(() => requestOf(choice), [choice]);
  // Only a run that is over stands for its date for good.
  const cascade = choice.cascade === true && !live && choice.which !== 'missing';
  const query = useQuery(planQuery(run.id, request, cascade));
  const plan = request ? query.data : undefined;
  const changed = plan ? differences(refused, plan) : new Map<string, RerunTask | undefined>();
  const change = (next: Partial<Choice>) => {
    setRefused(undefined);
    setChoice((before) => ({ ...before, ...next }));
  };
  const toggle = useCallback((name: string | undefined) => {
    if (!name) return;
    setRefused(undefined);
    setChoice((before) => {
      const tasks = new Set(before.which === 'tasks' ? before.tasks : []);
      if (!tasks.delete(name)) tasks.add(name);
      return { ...before, which: 'tasks', tasks };
    });
  }, []);
  const apply = useMutation({
    mutationFn: (of: RerunPlan) => ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path: { run: run.id }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { ...request, plan: of.plan, ...(reason === '' ? {} : { reason }) } })),
    onSuccess: (next) => {
      onClose();
      toast({ tone: 'good', text: next.id === run.id ? t.rerun.setBack : t.run.rerunDone });
      if (next.id === run.id) void client.invalidateQueries();
      void navigate({ to: '/ns/$ns/runs/$run', params: { ns: next.namespace, run: next.id } });
    },
    onError: (error, of) => {
      if (asApiError(error).code !== 'run.plan_stale') return;
      setRefused(of);
      void client.invalidateQueries({ queryKey: ['rerun-plan', run.id] });
    },
  });
  const applyAll = useMutation({
    mutationFn: (of: RerunPlan) => ask(api.POST('/api/v1/runs/{run}/rerun/cascade', { params: { path: { run: run.id }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { ...request, plan: of.plan, ...(reason === '' ? {} : { reason }) } })),
    onSuccess: (backfill) => {
      onClose();
      toast({ tone: 'good', text: t.rerun.cascadeDone });
      void client.invalidateQueries();
      void navigate({ to: '/ns/$ns/backfills/$backfill', params: { ns: backfill.namespace, backfill: backfill.id } });
    },
    onError: (error, of) => {
      if (asApiError(error).code !== 'run.plan_stale') return;
      setRefused(of);
      void client.invalidateQueries({ queryKey: ['rerun-plan', run.id] });
    },
  });
  const carry = cascade ? applyAll : apply;
  const problem = carry.error ? asApiError(carry.error) : undefined;
  const isStale = problem?.code === 'run.plan_stale';
  const nothing = plan && plan.reruns === 0;
  const canApply = plan !== undefined && !nothing && !query.isFetching;
  return (
    <Dialog
      open
      onClose={onClose}
      width="l"
      title={t.rerun.title}
      description={live ? t.rerun.liveText : t.rerun.text}
      footer={
        <>
          <Menu trigger={<IconButton label={t.common.moreActions} icon={ChevronDown} tip={false} />}>
            <CopyItems command={{ cli: cliOf(run.id, request ?? {}, plan?.plan, cascade), http: { method: 'POST', path: cascade ? fillPath('/api/v1/runs/{run}/rerun/cascade', { run: run.id }) : fillPath('/api/v1/runs/{run}/rerun', { run: run.id }), body: { ...request, ...(plan ? { plan: plan.plan } : {}) } } }} />
          </Menu>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button tone="primary" busy={carry.isPending} disabled={!canApply} onClick={() => plan && carry.mutate(plan)}>
            {plan ? t.rerun.apply(formats.number(plan.reruns)) : t.run.rerun}
          </Button>
        </>
      }
    >
      <div className={css.form}>
        <div className={css.ways} role="radiogroup" aria-label={t.rerun.which}>
          {ways.map((which) => (
            <label key={which}>
              <input type="radio" name="which" checked={choice.which === which} onChange={() => change({ which })} /> {t.rerun.ways[which]}
            </label>
          ))}
        </div>
        <TaskGraphs run={run} choice={choice} plan={plan} onToggle={toggle} />
        <div className={css.row}>
          <div className={css.checks}>
            <CheckBox label={t.rerun.downstream} disabled={choice.which !== 'tasks'} checked={choice.downstream} onChange={(event) => change({ downstream: event.target.checked })} />
            <CheckBox label={t.rerun.upstream} disabled={choice.which !== 'tasks'} checked={choice.upstream} onChange={(event) => change({ upstream: event.target.checked })} />
            {!live && <CheckBox label={t.rerun.cascade} disabled={choice.which === 'missing'} checked={cascade} onChange={(event) => change({ cascade: event.target.checked })} />}
            {live && <CheckBox label={t.rerun.cancelRunning} checked={choice.cancelRunning} onChange={(event) => change({ cancelRunning: event.target.checked })} />}
          </div>
          <Field label={t.rerun.version}>
            {(field) => (
              <Select {...field} disabled={live} value={choice.version} onChange={(event) => change({ version: event.target.value as Choice['version'] })}>
                <option value="pinned">{t.rerun.pinned(formats.number(run.job_version))}</option>
                <option value="latest">{plan && plan.latest_version !== run.job_version ? t.rerun.latestOf(formats.number(plan.latest_version)) : t.rerun.latest}</option>
              </Select>
            )}
          </Field>
          <Field label={t.common.reason}>{(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}</Field>
        </div>
        {problem && (
          <p className={isStale ? css.stale : css.problem} role="alert">
            <TriangleAlert size={14} aria-hidden="true" /> {isStale ? t.rerun.stale(formats.number(changed.size)) : t.said.both(problem)}
          </p>
        )}
        {!request ? (
          <p className={css.quiet}>{t.rerun.chooseTask}</p>
        ) : plan ? (
          <Plan plan={plan} changed={changed} />
        ) : query.error ? (
          <Failure error={query.error} what={t.rerun.plan} onRetry={() => void query.refetch()} />
        ) : (
          <Skeleton lines={5} />
        )}
      </div>
    </Dialog>
  );
}

/** The tasks of the run: a click chooses one, and what would become of each stands on it. */
function TaskGraphs({ run, choice, plan, onToggle }: { run: Run; choice: Choice; plan: RerunPlan | undefined; onToggle: (name: string | undefined) => void }) {
  const t = useT();
  const defined = useQuery(definedTasksQuery(run.namespace, run.job, run.job_version)).data;
  const [failed, setFailed] = useState(false);
  const graph = useMemo(() => graphOf(defined ?? {}), [defined]);
  const nodes = useMemo(() => new Set(graph.nodes.map((_, index) => index)), [graph]);
  const onFail = useCallback(() => setFailed(true), []);
  const marks = useMemo(() => plan && new Map(plan.tasks.map(({ name, action, state }) => [name, { state: action === 'keep' && state ? asState(state) : (looks[action] ?? 'waiting'), word: t.rerun.actions[action as keyof typeof t.rerun.actions] ?? action }])), [plan, t]);
  if (failed || nodes.size === 0) return null;
  return (
    <div className={css.graph}>
      <GraphView graph={graph} nodes={nodes} direction="LR" statuses={undefined} chosen={choice.which === 'tasks' ? choice.tasks : new Set()} marks={marks} onChoose={onToggle} onFail={onFail} />
    </div>
  );
}

/** The rows of a plan, those that are different from before first. */
function Plan({ plan, changed }: { plan: RerunPlan; changed: ReadonlyMap<string, RerunTask | undefined> }) {
  const t = useT();
  const formats = useFormats();
  const action = (task: Pick<RerunTask, 'action'> | undefined) => (task ? (t.rerun.actions[task.action as keyof typeof t.rerun.actions] ?? task.action) : t.common.none);
  const columns: Column<RerunTask>[] = [
    { id: 'name', header: t.workflow.taskWord, cell: ({ name }) => <strong>{name}</strong> },
    {
      id: 'action',
      header: t.rerun.action,
      width: '11rem',
      cell: (task) => (
        <span>
          {changed.has(task.name) && <del className={css.before}>{action(changed.get(task.name))}</del>}
          <StateBadge state={looks[task.action] ?? 'waiting'} word={action(task)} />
        </span>
      ),
    },
    { id: 'state', header: t.rerun.before, width: '9rem', wide: true, cell: ({ state }) => (state ? <StateBadge state={state === 'upstream_failed' ? 'skipped' : asState(state)} word={t.workflow.words[state as 'upstream_failed'] || t.states.words[asState(state)]} /> : t.common.none) },
    { id: 'reason', header: t.rerun.because, wide: true, cell: ({ reason, change }) => [because(reason), change && t.rerun.changes[change as keyof typeof t.rerun.changes]].filter(Boolean).join(' · ') },
    { id: 'estimate', header: t.rerun.estimate, width: '6rem', align: 'end', cell: ({ estimate_ms, action: what }) => (what === 'rerun' && typeof estimate_ms === 'number' ? formats.duration(estimate_ms) : t.common.none) },
  ];
  // A state alone is one in the words of the console.
  const because = (reason: string) => t.workflow.words[reason as 'upstream_failed'] ?? t.states.words[reason as State] ?? t.said.say('rerun_plan', reason);
  const rank = (task: RerunTask) => (changed.has(task.name) ? 0 : task.action === 'rerun' ? 1 : task.action === 'cannot_run' ? 2 : 3);
  const rows = plan.tasks.toSorted((a, b) => rank(a) - rank(b));
  return (
    <div className={css.plan}>
      <p className={css.summary}>
        {t.rerun.summary(formats.number(plan.reruns), formats.number(plan.keeps))}
        {(plan.goes_on ?? 0) > 0 && ` ${t.rerun.goesOn(formats.number(plan.goes_on ?? 0))}`}
        {(plan.cancels ?? 0) > 0 && ` ${t.rerun.cancels(formats.number(plan.cancels ?? 0))}`}
        {plan.cannot_run > 0 && <strong className={css.bad}> {t.rerun.cannot(formats.number(plan.cannot_run))}</strong>}
        {plan.gone > 0 && ` ${t.rerun.goneOf(formats.number(plan.gone))}`}
        {typeof plan.estimate_ms === 'number' && ` ${t.rerun.takes(formats.duration(plan.estimate_ms))}`} <code>{plan.plan}</code>
      </p>
      {plan.rerun_as && <p className={css.quiet}>{t.rerun.already(plan.rerun_as)}</p>}
      <DataTable label={t.rerun.plan} columns={columns} rows={rows} rowKey={({ name }) => name} rowName={({ name }) => name} rowTone={(task) => (changed.has(task.name) ? 'bad' : task.action === 'keep' ? 'muted' : undefined)} />
      {plan.below && <Dependants plan={plan} />}
    </div>
  );
}

/** Dates of other workflows that run after it, level by level. */
function Dependants({ plan }: { plan: RerunPlan }) {
  const t = useT();
  const formats = useFormats();
  const rows = plan.dependants ?? [];
  const { create, rerun, keep, active, absent } = plan.below ?? { create: 0, rerun: 0, keep: 0, active: 0, absent: 0 };
  const all = create + rerun + keep + active + (absent ?? 0);
  if (all === 0) return <p className={css.quiet}>{t.rerun.noDependants}</p>;
  const columns: Column<BackfillPlanItem>[] = [
    { id: 'level', header: t.backfills.level, width: '4rem', align: 'end', cell: ({ level }) => formats.number(level ?? 0) },
    { id: 'job', header: t.backfills.job, cell: ({ job }) => <strong>{job}</strong> },
    { id: 'date', header: t.backfills.fireTime, width: '13rem', cell: ({ fire_at }) => <Instant at={fire_at} date /> },
    { id: 'action', header: t.rerun.action, width: '11rem', cell: ({ action, tasks }) => [t.backfills.actions[action as keyof typeof t.backfills.actions] ?? action, typeof tasks === 'number' && t.backfills.tasksOf(formats.number(tasks))].filter(Boolean).join(' · ') },
    { id: 'why', header: t.rerun.because, wide: true, cell: ({ why, reason }) => [why, reason].filter(Boolean).join(' · ') },
  ];
  return (
    <>
      <p className={css.summary}>
        {t.rerun.dependants(formats.number(create + rerun), formats.number(all))}
        {all > rows.length && ` ${t.rerun.moreDependants(formats.number(all - rows.length))}`}
      </p>
      <DataTable label={t.rerun.dependantsLabel} columns={columns} rows={rows} rowKey={dateKey} rowName={dateKey} rowTone={({ action }) => (action === 'create' || action === 'rerun' ? undefined : 'muted')} />
    </>
  );
}
