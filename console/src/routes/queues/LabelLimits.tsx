import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { Loaded } from '@/components/Feedback';
import { Field, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { Panel } from '@/components/Page';
import { toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { readLimit } from './limits';
import { labelsQuery } from './queries';
import css from './Queues.module.css';

/** How many runs of jobs and tasks with a label may be executed at a time. */
export function LabelLimits() {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const query = useQuery(labelsQuery);
  const [adding, setAdding] = useState(false);
  const renew = () => void client.invalidateQueries({ queryKey: labelsQuery.queryKey });
  const remove = useMutation({
    mutationFn: (label: string) => ask(api.DELETE('/api/v1/labels/{label}', { params: { path: { label } } })),
    onSuccess: renew,
    onError: (error) => toastError(t.queues.removeLabel, error),
  });
  return (
    <Panel
      title={t.queues.labels}
      aside={
        <Button size="s" icon={Plus} onClick={() => setAdding(true)}>
          {t.queues.addLabel}
        </Button>
      }
    >
      <Loaded query={query} what={t.queues.labels}>
        {(limits) =>
          limits.length === 0 ? (
            <p className={css.quiet}>{t.queues.labelsText}</p>
          ) : (
            <ul className={css.labels}>
              {limits.map((limit) => (
                <li key={limit.label}>
                  <code>{limit.label}</code>
                  <span>{t.queues.running_of(formats.number(limit.running), formats.number(limit.max_running))}</span>
                  <meter min={0} max={limit.max_running} value={limit.running} aria-label={t.queues.inUse} />
                  <IconButton
                    label={t.queues.removeLabel}
                    icon={Trash2}
                    onClick={() => void confirm({ title: t.queues.removeLabelTitle(limit.label), action: t.queues.removeLabel, tone: 'danger', command: { cli: ['label', 'remove', limit.label], http: { method: 'DELETE', path: fillPath('/api/v1/labels/{label}', { label: limit.label }) } } }).then((yes) => yes && remove.mutate(limit.label))}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {adding && <AddLabel onClose={() => setAdding(false)} onDone={renew} />}
    </Panel>
  );
}

function AddLabel({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useT();
  const [label, setLabel] = useState('');
  const [max, setMax] = useState('');
  const limit = readLimit(max);
  const ready = label.includes('=') && typeof limit === 'number';
  const save = useMutation({
    mutationFn: () => ask(api.PUT('/api/v1/labels/{label}', { params: { path: { label } }, body: { max_running: typeof limit === 'number' ? limit : 1 } })),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t.queues.addLabel}
      description={t.queues.labelsText}
      action={t.common.save}
      ready={ready}
      command={{ cli: ['label', 'set', label, '--max-running', max.trim()], http: { method: 'PUT', path: fillPath('/api/v1/labels/{label}', { label }), body: { max_running: typeof limit === 'number' ? limit : 1 } } }}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      error={save.error}
    >
      <Field label={t.queues.label} hint={t.queues.labelHint}>
        {(field) => <TextInput {...field} mono value={label} placeholder="database=main" onChange={(event) => setLabel(event.target.value)} />}
      </Field>
      <Field label={t.queues.maxRunning} error={limit === 'bad' ? t.queues.notNumber : undefined}>
        {(field) => <TextInput {...field} inputMode="numeric" value={max} onChange={(event) => setMax(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}
