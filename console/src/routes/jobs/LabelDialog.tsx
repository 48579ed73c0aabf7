import { useState } from 'react';
import type { OperationSpec } from '@/api/operations';
import { CopyMenu } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { Dialog } from '@/components/Dialog';
import { Field, TextInput } from '@/components/Field';
import { useT } from '@/i18n';
import type { Commands } from '@/lib/commands';
import { readLabels } from './selection';

type Labels = Pick<OperationSpec, 'add_labels' | 'remove_labels'>;

/** Asks which labels many jobs get and lose. */
export function LabelDialog({ count, commandOf, onDone, onClose }: { count: string; /** The operation, for curl. */ commandOf: (labels: Labels) => Commands; onDone: (labels: Labels) => void; onClose: () => void }) {
  const t = useT();
  const [typed, setTyped] = useState('');
  let labels: Labels | undefined;
  let wrong: string | undefined;
  try {
    const { add, remove } = readLabels(typed);
    if (Object.keys(add).length + remove.length > 0) labels = { add_labels: add, remove_labels: remove };
  } catch (error) {
    wrong = t.jobs.labelWrong((error as Error).message);
  }
  const submit = () => labels && onDone(labels);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.jobs.labelTitle(count)}
      footer={
        <>
          <CopyMenu command={labels ? commandOf(labels) : []} ready={labels !== undefined} />
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button tone="primary" disabled={!labels} onClick={submit}>
            {t.operations.actions.label}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label={t.jobs.labels} hint={t.jobs.labelHint} error={wrong}>
          {(field) => <TextInput {...field} mono autoFocus placeholder="team=ops -old" value={typed} onChange={(event) => setTyped(event.target.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}
