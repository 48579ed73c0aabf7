import { Ban, Download, Pause, Play, Tag, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import type { OperationAction, OperationSpec } from '@/api/operations';
import { type Action, ActionBar } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import type { Command } from '@/lib/commands';
import css from './Jobs.module.css';
import { LabelDialog } from './LabelDialog';
import { exportJobs } from './exportJobs';
import { type Target, selectorOf, targetsOf } from './selection';
import { isMany, useBulk } from './useBulk';

export interface SelectionBarProps {
  /** Keys of the jobs that are chosen one by one. */
  keys: ReadonlySet<string>;
  /** Whether a job is known to be paused: it needs no pause, and no undo would wake it. */
  isPaused: (key: string) => boolean | undefined;
  /** All that a query finds are meant, more than can be chosen by name. */
  byQuery: Target | undefined;
  /** How many that are, in words. */
  count: string;
  onAll: (() => void) | undefined;
  onClear: () => void;
}

/** What can be done to the chosen jobs. */
export function SelectionBar({ keys, isPaused, byQuery, count, onAll, onClear }: SelectionBarProps) {
  const t = useT();
  const formats = useFormats();
  const bulk = useBulk();
  const [labelling, setLabelling] = useState(false);
  const targets = (action: OperationAction): Target[] => {
    if (byQuery) return [byQuery];
    const meant = action === 'pause' ? [...keys].filter((key) => isPaused(key) !== true) : action === 'resume' ? [...keys].filter((key) => isPaused(key) !== false) : [...keys];
    return targetsOf(meant);
  };
  const act = async (action: OperationAction, labels?: Pick<OperationSpec, 'add_labels' | 'remove_labels'>) => {
    const meant = targets(action);
    const number = meant.reduce((sum, { names }) => sum + (names?.length ?? 0), 0);
    const begun = await bulk({ action, targets: meant, count: byQuery ? count : t.jobs.jobCount(number, formats.number(number)), isMany: byQuery !== undefined || isMany(number), ...(labels ? { labels } : {}) });
    if (begun) onClear();
  };
  // An operation is of one namespace: jobs of several take one each.
  const commandOf = (action: OperationAction, labels: Pick<OperationSpec, 'add_labels' | 'remove_labels'> = {}): Command[] =>
    targets(action).map((target) => ({ http: { method: 'POST', path: '/api/v1/operations', body: { action, selector: selectorOf(target), ...labels } } }));
  const one = (action: Exclude<OperationAction, 'label'>, icon: Action['icon'], more: Partial<Action> = {}): Action => ({
    id: action,
    label: t.operations.actions[action],
    icon,
    disabledReason: targets(action).length === 0 ? t.jobs.nothingToDo : undefined,
    command: commandOf(action),
    run: () => void act(action),
    ...more,
  });
  const actions: Action[] = [
    one('run', Zap),
    one('pause', Pause),
    one('resume', Play),
    { id: 'label', label: t.operations.actions.label, icon: Tag, command: 'local', run: () => setLabelling(true) },
    {
      id: 'export',
      label: t.common.exportWord,
      icon: Download,
      command: 'local',
      disabledReason: byQuery ? t.jobs.exportMax : undefined,
      run: () => void exportJobs(targetsOf(keys)).catch((error: unknown) => toastError(t.errors.action(t.common.exportWord), error)),
    },
    one('cancel', Ban, { hidden: true, tone: 'danger' }),
    one('delete', Trash2, { tone: 'danger' }),
  ];
  return (
    <div className={css.selection}>
      <span>{t.jobs.chosen(count)}</span>
      <ActionBar actions={actions} />
      {onAll && (
        <Button size="s" tone="quiet" onClick={onAll}>
          {t.jobs.allMatching}
        </Button>
      )}
      <Button size="s" tone="quiet" onClick={onClear}>
        {t.common.clearSelection}
      </Button>
      {labelling && (
        <LabelDialog
          count={count}
          commandOf={(labels) => commandOf('label', labels)}
          onClose={() => setLabelling(false)}
          onDone={(labels) => {
            setLabelling(false);
            void act('label', labels);
          }}
        />
      )}
    </div>
  );
}
