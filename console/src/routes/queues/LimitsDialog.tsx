import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { Field, Select, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import { limitsCommand, readLimit, settingsOf, typedOf } from './limits';
import { type Queue, queuesQuery } from './queries';
import css from './Queues.module.css';

export function LimitsDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [typed, setTyped] = useState(() => typedOf(queue));
  const settings = settingsOf(typed, queue.paused ?? false);
  const save = useMutation({
    mutationFn: () => ask(api.PUT('/api/v1/queues/{queue}', { params: { path: { queue: queue.name } }, body: settings ?? {} })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queuesQuery.queryKey });
      toast({ tone: 'good', text: t.queues.saved });
      onClose();
    },
  });
  const input = (key: 'running' | 'waiting' | 'count', label: string) => (
    <Field label={label} error={readLimit(typed[key]) === 'bad' ? t.queues.notNumber : undefined}>
      {(field) => <TextInput {...field} inputMode="numeric" value={typed[key]} placeholder={t.queues.noLimit} onChange={(event) => setTyped({ ...typed, [key]: event.target.value })} />}
    </Field>
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t.queues.setTitle(queue.name)}
      description={t.queues.setText}
      action={t.common.save}
      ready={settings !== undefined}
      command={limitsCommand(queue.name, settings ?? {})}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      error={save.error}
    >
      {input('running', t.queues.maxRunning)}
      {input('waiting', t.queues.maxWaiting)}
      <div className={css.rate}>
        {input('count', t.queues.rate)}
        <Field label={t.queues.perUnit}>
          {(field) => (
            <Select {...field} value={typed.per} onChange={(event) => setTyped({ ...typed, per: event.target.value })}>
              <option value="1000">{t.queues.second}</option>
              <option value="60000">{t.queues.minute}</option>
              <option value="3600000">{t.queues.hour}</option>
              {!['1000', '60000', '3600000'].includes(typed.per) && <option value={typed.per}>{`${typed.per} ms`}</option>}
            </Select>
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
