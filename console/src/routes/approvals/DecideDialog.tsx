import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field, Select, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import { steerTask } from '../workflow/queries';
import css from './Approvals.module.css';
import { decideCommand } from './commands';

export interface Decision {
  run: string;
  task: string;
  prompt: string | undefined;
  /** Who may decide; everybody when empty. */
  from: readonly string[];
  verb: 'approve' | 'reject';
}

/** Asks who decides, and why. The name is kept with the task; the server cannot check it. */
export function DecideDialog({ decision, onClose }: { decision: Decision; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const { run, task, prompt, from, verb } = decision;
  const [reason, setReason] = useState('');
  const [by, setBy] = useState(from[0] ?? '');
  const decide = useMutation({
    mutationFn: () => steerTask(run, task, verb, reason, by),
    onSuccess: () => {
      toast({ tone: 'good', text: t.approvals.done[verb] });
      onClose();
      return Promise.all([['approvals'], ...['tasks', 'task', 'task-items', 'run'].map((key) => [key, run])].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t.workflow.verbTitle(t.workflow.verbs[verb], task)}
      description={
        <>
          {prompt && <p className={css.asked}>{prompt}</p>}
          {t.workflow.verbTexts[verb]}
        </>
      }
      action={t.workflow.verbs[verb]}
      tone={verb === 'reject' ? 'danger' : 'primary'}
      command={decideCommand(run, task, verb, by, reason)}
      busy={decide.isPending}
      onSubmit={() => decide.mutate()}
      error={decide.error}
    >
      {from.length > 0 && (
        <Field label={t.approvals.as} hint={t.approvals.asHint}>
          {(field) => (
            <Select {...field} value={by} onChange={(event) => setBy(event.target.value)}>
              {from.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label={t.common.reason} hint={t.common.reasonHint}>
        {(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}
