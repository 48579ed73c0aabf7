import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api, ask } from '@/api/client';
import { Field, Select, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { limitsCommand, readLimit, settingsOf, typedOf } from './limits';
import { type Queue, type QueuePreview, type QueueSettings, previewQuery, queuesQuery } from './queries';
import css from './Queues.module.css';

export function LimitsDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [typed, setTyped] = useState(() => typedOf(queue));
  const settings = settingsOf(typed, queue.paused ?? false);
  const [reason, setReason] = useState('');
  const because = reason.trim() === '' ? {} : { reason: reason.trim() };
  const save = useMutation({
    mutationFn: () => ask(api.PUT('/api/v1/queues/{queue}', { params: { path: { queue: queue.name }, query: because }, body: settings ?? {} })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queuesQuery.queryKey });
      void client.invalidateQueries({ queryKey: ['queue-changes', queue.name] });
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
      <Field label={t.common.reason} hint={t.common.reasonHint}>
        {(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      {settings && <Effect queue={queue.name} settings={settings} />}
    </FormDialog>
  );
}

/** What the limits that were typed would do to the runs that are there now. */
function Effect({ queue, settings }: { queue: string; settings: QueueSettings }) {
  const t = useT();
  const asked = useDeferredValue(settings);
  const { data } = useQuery({ ...previewQuery(queue, asked), placeholderData: keepPreviousData });
  return (
    <section className={css.effect} aria-live="polite" aria-label={t.queues.effect}>
      <h3>{t.queues.effect}</h3>
      {data ? <EffectWords preview={data} /> : <p className={css.quiet}>{t.common.loading}</p>}
    </section>
  );
}

function EffectWords({ preview: { before, after, waiting, running, is_least } }: { preview: QueuePreview }) {
  const t = useT();
  const formats = useFormats();
  const counts = ({ leave, wait }: typeof after) => t.queues.effectOf(formats.number(leave), formats.number(wait));
  return (
    <ul>
      <li>{t.queues.effectNow(counts(before))}</li>
      <li>
        <strong>{t.queues.effectThen(counts(after))}</strong>
      </li>
      {after.over > 0 && <li>{t.queues.effectOver(formats.number(running), formats.number(after.over))}</li>}
      {after.drain_ms != null && waiting > 0 && <li>{t.queues.effectDrain(formats.duration(after.drain_ms))}</li>}
      {after.refuses && <li className={css.full}>{t.queues.effectRefuses}</li>}
      {is_least && <li className={css.quiet}>{t.queues.countedTo(formats.number(waiting))}</li>}
    </ul>
  );
}
