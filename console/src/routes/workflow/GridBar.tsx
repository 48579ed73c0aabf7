import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BoxSelect, Check, Rewind, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { type Action, ActionBar } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { forEach } from '@/lib/each';
import { isFinal } from '@/states';
import { GridRerun } from './GridRerun';
import css from './RunGrid.module.css';
import { steerTask } from './queries';
import { type Chosen, datesOf, partOf } from './rectangle';
import { useRunTime, useTaskWord } from './useWords';

/** Tasks that are marked in one go: each is one request. */
const MARKED_MAX = 500;

export interface GridBarProps {
  namespace: string;
  job: string;
  /** What the rectangle holds, by run. */
  chosen: readonly Chosen[];
  /** Its tasks. */
  names: readonly string[];
  /** All tasks of the grid. */
  all: readonly string[];
  picking: boolean;
  onPicking: (on: boolean) => void;
  onClear: () => void;
}

/** Says what is chosen in the grid, and what can be done about it. */
export function GridBar({ namespace, job, chosen, names, all, picking, onPicking, onClear }: GridBarProps) {
  const t = useT();
  const navigate = useNavigate();
  const [again, setAgain] = useState(false);
  const mark = useMark();
  const dates = datesOf(chosen);
  const open = chosen.flatMap(({ run, tasks }) => tasks.filter(({ state }) => !isFinal(state)).map(({ task }) => ({ run: run.id, task: task.name })));
  const one = chosen.length === 1 ? chosen[0] : undefined;
  const rerun = () => (one ? void navigate({ to: '/ns/$ns/runs/$run', params: { ns: namespace, run: one.run.id }, search: { rerun: one.tasks.map(({ task }) => task.name).join(',') } }) : setAgain(true));
  const marking = (state: 'succeeded' | 'failed', icon: Action['icon']): Action => ({
    id: state,
    label: t.workflow.verbs[state],
    icon,
    busy: mark.isPending && mark.variables.state === state,
    disabledReason: open.length === 0 ? t.workflow.allOver : open.length > MARKED_MAX ? t.workflow.markMax(MARKED_MAX) : undefined,
    command: open.map(({ run, task }) => ({ cli: ['run', 'mark', run, task, state], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/tasks/{task}/mark', { run, task }), body: { state } } })),
    run: () =>
      void confirm({ title: t.workflow.markTitle(t.workflow.verbs[state], open.length), text: t.workflow.verbTexts[state], action: t.workflow.verbs[state], tone: state === 'failed' ? 'danger' : 'primary', reason: true }).then(
        (yes) => yes && mark.mutate({ tasks: open, state, reason: yes.reason }),
      ),
  });
  const isNone = chosen.every(({ tasks }) => tasks.length === 0);
  const actions: Action[] = [
    { id: 'again', label: t.run.rerun, icon: RotateCcw, command: 'local', tone: 'primary', disabledReason: isNone ? t.workflow.noneInRuns : undefined, run: rerun },
    marking('succeeded', Check),
    marking('failed', X),
    {
      id: 'backfill',
      label: t.workflow.backfillDates,
      icon: Rewind,
      command: 'local',
      disabledReason: dates ? undefined : t.workflow.noDates,
      run: () => dates && void navigate({ to: '/ns/$ns/backfills/new', params: { ns: namespace }, search: { job, ...dates, ...partOf(names, all) } }),
    },
  ];
  return (
    <div className={css.actions} data-chosen={chosen.length > 0 || undefined}>
      <Said chosen={chosen} names={names} picking={picking} />
      {chosen.length > 0 && <ActionBar actions={actions} />}
      <Button size="s" tone="quiet" icon={BoxSelect} aria-pressed={picking} onClick={() => onPicking(!picking)}>
        {t.workflow.pick}
      </Button>
      {chosen.length > 0 && (
        <Button size="s" tone="quiet" onClick={onClear}>
          {t.common.clearSelection}
        </Button>
      )}
      {again && <GridRerun namespace={namespace} chosen={chosen.filter(({ tasks }) => tasks.length > 0)} onClose={() => setAgain(false)} />}
    </div>
  );
}

/** The rectangle in words, which are read out as it changes. */
function Said({ chosen, names, picking }: Pick<GridBarProps, 'chosen' | 'names' | 'picking'>) {
  const t = useT();
  const formats = useFormats();
  const at = useRunTime();
  const wordOf = useTaskWord();
  const [first, last] = [chosen[0], chosen.at(-1)];
  const counts = new Map<string, number>();
  for (const status of chosen.flatMap(({ tasks }) => tasks)) counts.set(wordOf(status), (counts.get(wordOf(status)) ?? 0) + 1);
  const range = (from: string, to: string) => (from === to ? from : `${from} – ${to}`);
  return (
    <p className={css.said} role="status">
      {first && last ? (
        <>
          <strong>{t.workflow.rectangle(formats.number(names.length), formats.number(chosen.length))}</strong>{' '}
          <span>
            {range(names[0] ?? '', names.at(-1) ?? '')} · {range(at(first.run), at(last.run))} · {[...counts].map(([word, count]) => `${formats.number(count)} ${word}`).join(', ') || t.workflow.notInRun}
          </span>
        </>
      ) : (
        <span>{picking ? t.workflow.pickHint : t.workflow.drawHint}</span>
      )}
    </p>
  );
}

/** Marks tasks one by one, and says how many were. */
function useMark() {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ tasks, state, reason }: { tasks: readonly { run: string; task: string }[]; state: 'succeeded' | 'failed'; reason: string }) => {
      const keys = tasks.map((_, index) => String(index));
      return forEach(keys, async (key) => {
        const each = tasks[Number(key)];
        if (each) await steerTask(each.run, each.task, state, reason);
      });
    },
    onSuccess: ({ done, failed }, { tasks }) => {
      const runs = new Set(tasks.map(({ run }) => run));
      for (const run of runs) for (const key of ['tasks', 'task', 'run']) void client.invalidateQueries({ queryKey: [key, run] });
      const problem = failed[0]?.error;
      toast(problem ? { tone: 'bad', text: `${t.workflow.markedSome(formats.number(done.length), formats.number(failed.length))} ${t.said.both(problem)}` } : { text: t.workflow.asked });
    },
  });
}
