import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ban, Check, RotateCcw, SkipForward, X } from 'lucide-react';
import { useState } from 'react';
import { type Action, ActionBar } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { StateBadge } from '@/components/StateBadge';
import { Took } from '@/components/Instant';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { isFinal } from '@/states';
import css from './Workflow.module.css';
import type { TaskNode } from './graph';
import { type Decision, DecideDialog } from '../approvals/DecideDialog';
import { type TaskVerb, itemsQuery, requestOf, steerTask, taskQuery } from './queries';
import { type TaskStatus, statusOf } from './status';

const ITEMS_SHOWN = 100;

/** How a task of a run stands: its run and log, why it waits, what can be asked of it, and its items. */
export function TaskOfRun({ run, namespace, node, status }: { run: string; namespace: string; node: TaskNode; status: TaskStatus }) {
  const t = useT();
  const { task, state, word } = status;
  const detail = useQuery({ ...taskQuery(run, task.name), enabled: !isFinal(state) });
  const reasons = isFinal(state) ? [] : (detail.data?.why.reasons ?? []);
  return (
    <>
      <p className={css.status}>
        <StateBadge state={state} word={t.workflow.words[word ?? 'none'] || t.states.words[state]} strong />
        {task.started_at && <Took from={task.started_at} to={task.ended_at} />}
        {task.run && (
          <Link to="/ns/$ns/runs/$run" params={{ ns: namespace, run: task.run }}>
            {state === 'failed' ? t.workflow.openFailing : t.workflow.openLog}
          </Link>
        )}
      </p>
      {task.reason && <p className={css.quiet}>{t.said.failure(task.reason)}</p>}
      {reasons.length > 0 && (
        <ul className={css.reasons}>
          {reasons.map((reason, index) => (
            <li key={index}>
              {t.said.say(reason.code, reason.message)} {reason.hint && <span className={css.quiet}>{t.said.hint(reason.hint)}</span>}
            </li>
          ))}
        </ul>
      )}
      <TaskActions run={run} status={status} node={node} />
      {task.items && <Items run={run} namespace={namespace} name={task.name} />}
    </>
  );
}

function TaskActions({ run, status, node }: { run: string; status: TaskStatus; node: TaskNode }) {
  const t = useT();
  const client = useQueryClient();
  const { name } = status.task;
  const steer = useMutation({
    mutationFn: ({ verb, reason }: { verb: TaskVerb; reason: string }) => steerTask(run, name, verb, reason),
    onSuccess: () => {
      toast({ text: t.workflow.asked });
      return Promise.all(['tasks', 'task', 'task-items', 'run'].map((key) => client.invalidateQueries({ queryKey: [key, run] })));
    },
    onError: (error, { verb }) => toastError(t.workflow.verbs[verb], error),
  });
  const navigate = useNavigate();
  const [decision, setDecision] = useState<Decision>();
  const decide = (verb: Decision['verb']) => setDecision({ run, task: name, prompt: status.task.reason ?? node.spec.approval?.prompt, from: [node.spec.approval?.from ?? []].flat(), verb });
  const over = isFinal(status.state);
  const action = (verb: TaskVerb, icon: Action['icon'], more: Partial<Action> = {}): Action => {
    return {
      id: verb,
      label: t.workflow.verbs[verb],
      icon,
      busy: steer.isPending && steer.variables.verb === verb,
      disabledReason: over ? t.workflow.isFinal : undefined,
      command: { http: { method: 'POST', ...requestOf(run, name, verb) } },
      run: () =>
        void confirm({ title: t.workflow.verbTitle(t.workflow.verbs[verb], name), text: t.workflow.verbTexts[verb], action: t.workflow.verbs[verb], tone: verb === 'cancel' || verb === 'branch' || verb === 'reject' || verb === 'failed' ? 'danger' : 'primary', reason: true }).then(
          (yes) => yes && steer.mutate({ verb, reason: yes.reason }),
        ),
      ...more,
    };
  };
  const again: Action = { id: 'again', label: t.rerun.fromHere, icon: RotateCcw, command: 'local', hidden: true, run: () => void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, rerun: name }), replace: true } as never) };
  const approval = node.kind === 'approval' ? [action('approve', Check, { tone: 'primary', run: () => decide('approve') }), action('reject', X, { tone: 'danger', run: () => decide('reject') })] : [];
  return (
    <>
      <ActionBar actions={[...approval, action('skip', SkipForward), action('cancel', Ban), action('branch', Ban, { hidden: true, disabledReason: undefined }), action('succeeded', Check, { hidden: true }), action('failed', X, { hidden: true }), again]} />
      {decision && <DecideDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </>
  );
}

function Items({ run, namespace, name }: { run: string; namespace: string; name: string }) {
  const t = useT();
  const formats = useFormats();
  const { data = [] } = useQuery(itemsQuery(run, name));
  // What failed is looked for first.
  const sorted = [...data].sort((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'));
  return (
    <div className={css.items}>
      <h3>{t.workflow.items(formats.number(data.length))}</h3>
      <ul>
        {sorted.slice(0, ITEMS_SHOWN).map((item) => {
          const { state, word } = statusOf(item);
          return (
            <li key={item.name}>
              <StateBadge state={state} word={t.workflow.words[word ?? 'none'] || t.states.words[state]} />
              {item.run ? (
                <Link to="/ns/$ns/runs/$run" params={{ ns: namespace, run: item.run }}>
                  {item.name}
                </Link>
              ) : (
                <span>{item.name}</span>
              )}
            </li>
          );
        })}
      </ul>
      {data.length > ITEMS_SHOWN && <p className={css.quiet}>{t.jobs.andMore(formats.number(data.length - ITEMS_SHOWN))}</p>}
    </div>
  );
}
