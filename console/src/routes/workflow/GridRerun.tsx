import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { type ApiError, asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import { useCopy } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Dialog } from '@/components/Dialog';
import { CheckBox, Field, Select, TextInput } from '@/components/Field';
import { StateBadge } from '@/components/StateBadge';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { asCli } from '@/lib/commands';
import { forEach } from '@/lib/each';
import { runState } from '@/states';
import css from '../run/Rerun.module.css';
import { type Choice, type Rerun, type RerunPlan, cliOf, planQuery, requestOf } from '../run/rerun';
import type { Run } from '../runs/queries';
import type { Chosen } from './rectangle';
import { useRunTime } from './useWords';

type Wish = Pick<Choice, 'downstream' | 'upstream' | 'version'>;

/** A run with what would be done of it, and what came of it. */
interface Row {
  run: Run;
  tasks: readonly string[];
  request: Rerun;
  plan: RerunPlan | undefined;
  problem: ApiError | undefined;
  /** The run that repeats it now. */
  made: string | undefined;
}

/** Runs the chosen tasks of several runs again: a plan for each, and just those are carried out. */
export function GridRerun({ namespace, chosen, onClose }: { namespace: string; chosen: readonly Chosen[]; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const copy = useCopy();
  const client = useQueryClient();
  const at = useRunTime();
  const [kept] = useState(chosen);
  const [wish, setWish] = useState<Wish>({ downstream: true, upstream: false, version: 'pinned' });
  const [reason, setReason] = useState('');
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const [failed, setFailed] = useState<ReadonlyMap<string, ApiError>>(new Map());
  const asked = kept.map(({ run, tasks }) => {
    const names = tasks.map(({ task }) => task.name);
    return { run, tasks: names, request: requestOf({ which: 'tasks', tasks: new Set(names), ...wish }) ?? {} };
  });
  const plans = useQueries({ queries: asked.map(({ run, request }) => planQuery(run.id, request)) });
  const rows = asked.map((of, index): Row => {
    const plan = plans[index];
    return { ...of, plan: plan?.data, problem: failed.get(of.run.id) ?? (plan?.error ? asApiError(plan.error) : undefined), made: made.get(of.run.id) };
  });
  const ready = rows.filter(({ plan, made: done }) => plan && plan.reruns > 0 && done === undefined);
  const isPlanning = plans.some(({ isFetching }) => isFetching);
  const change = (next: Partial<Wish>) => {
    setFailed(new Map());
    setWish((before) => ({ ...before, ...next }));
  };
  const apply = useMutation({
    mutationFn: async () => {
      const done = new Map(made);
      const result = await forEach(
        ready.map(({ run }) => run.id),
        async (id) => {
          const row = ready.find(({ run }) => run.id === id);
          const next = await ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path: { run: id }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { ...row?.request, plan: row?.plan?.plan ?? null, ...(reason === '' ? {} : { reason }) } }));
          done.set(id, next.id);
        },
      );
      return { done, failed: new Map(result.failed.map(({ name, error }) => [name, error])) };
    },
    onSuccess: ({ done, failed: problems }) => {
      setMade(done);
      setFailed(problems);
      void client.invalidateQueries({ queryKey: ['grid-runs', namespace] });
      for (const id of problems.keys()) void client.invalidateQueries({ queryKey: ['rerun-plan', id] });
      if (problems.size > 0) return;
      toast({ tone: 'good', text: t.rerun.startedMany(formats.number(done.size)) });
      onClose();
    },
  });
  const columns: Column<Row>[] = [
    {
      id: 'run',
      header: t.rerun.runOf,
      width: '14rem',
      cell: ({ run }) => (
        <span className={css.runOf}>
          <strong>{at(run)}</strong> <StateBadge state={runState(run)} />
        </span>
      ),
    },
    { id: 'tasks', header: t.rerun.chosenTasks, wide: true, cell: ({ tasks }) => <span title={tasks.join('\n')}>{tasks.join(', ')}</span> },
    { id: 'does', header: t.rerun.action, width: '20rem', cell: (row) => <Does row={row} namespace={namespace} /> },
    { id: 'estimate', header: t.rerun.estimate, width: '6rem', align: 'end', wide: true, cell: ({ plan }) => (typeof plan?.estimate_ms === 'number' ? formats.duration(plan.estimate_ms) : t.common.none) },
  ];
  const total = ready.reduce((sum, { plan }) => sum + (plan?.reruns ?? 0), 0);
  return (
    <Dialog
      open
      onClose={onClose}
      width="l"
      title={t.rerun.titleMany(formats.number(kept.length))}
      description={t.rerun.textMany}
      footer={
        <>
          <Button tone="quiet" disabled={ready.length === 0} onClick={() => copy(ready.map(({ run, request, plan }) => asCli(cliOf(run.id, request, plan?.plan))).join('\n'))}>
            {t.common.copyCli}
          </Button>
          <Button onClick={onClose}>{made.size > 0 ? t.common.close : t.common.cancel}</Button>
          <Button tone="primary" busy={apply.isPending} disabled={ready.length === 0 || isPlanning} onClick={() => apply.mutate()}>
            {t.rerun.applyMany(formats.number(total), formats.number(ready.length))}
          </Button>
        </>
      }
    >
      <div className={css.form}>
        <div className={css.row}>
          <div className={css.checks}>
            <CheckBox label={t.rerun.downstream} checked={wish.downstream} onChange={(event) => change({ downstream: event.target.checked })} />
            <CheckBox label={t.rerun.upstream} checked={wish.upstream} onChange={(event) => change({ upstream: event.target.checked })} />
          </div>
          <Field label={t.rerun.version}>
            {(field) => (
              <Select {...field} value={wish.version} onChange={(event) => change({ version: event.target.value as Choice['version'] })}>
                <option value="pinned">{t.rerun.pinnedEach}</option>
                <option value="latest">{t.rerun.latest}</option>
              </Select>
            )}
          </Field>
          <Field label={t.common.reason}>{(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}</Field>
        </div>
        <DataTable label={t.rerun.plan} columns={columns} rows={rows} rowKey={({ run }) => run.id} rowName={({ run }) => at(run)} rowTone={({ problem }) => (problem ? 'bad' : undefined)} />
      </div>
    </Dialog>
  );
}

/** What would be done of a run, what is in the way, or what was made of it. */
function Does({ row: { plan, problem, made }, namespace }: { row: Row; namespace: string }) {
  const t = useT();
  const formats = useFormats();
  if (made) {
    return (
      <Link to="/ns/$ns/runs/$run" params={{ ns: namespace, run: made }}>
        {t.rerun.startedOne}
      </Link>
    );
  }
  if (problem) return <span className={css.bad}>{problem.code === 'run.plan_stale' ? t.rerun.staleOne : t.said.both(problem)}</span>;
  if (!plan) return <span className={css.quiet}>{t.rerun.planning}</span>;
  return (
    <span>
      {t.rerun.summary(formats.number(plan.reruns), formats.number(plan.keeps))}
      {plan.cannot_run > 0 && <strong className={css.bad}> {t.rerun.cannot(formats.number(plan.cannot_run))}</strong>}
      {plan.rerun_as && <span className={css.quiet}> {t.rerun.repeated}</span>}
    </span>
  );
}
