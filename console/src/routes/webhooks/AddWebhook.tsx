import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { CommandLine } from '@/components/Copy';
import { Field, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { useT } from '@/i18n';
import { type WebhookBody, createCommand } from './commands';
import { webhooksQuery } from './queries';

export function AddWebhook({ onClose }: { onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [typed, setTyped] = useState({ name: '', url: '', events: '', namespace: '', job: '' });
  const body: WebhookBody = {
    name: typed.name.trim(),
    url: typed.url.trim(),
    events: typed.events.split(/[\s,]+/).filter(Boolean),
    ...(typed.namespace.trim() === '' ? {} : { namespace: typed.namespace.trim() }),
    ...(typed.job.trim() === '' ? {} : { job: typed.job.trim() }),
  };
  const make = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/webhooks', { params: { header: { 'Idempotency-Key': idempotencyKey() } }, body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  const secret = make.data?.secret;
  const ready = typed.name.trim() !== '' && typed.url.trim() !== '';
  const field = (key: keyof typeof typed, label: string, hint?: string, placeholder?: string) => (
    <Field label={label} at={key} hint={hint}>
      {(bound) => <TextInput {...bound} value={typed[key]} placeholder={placeholder} onChange={(event) => setTyped({ ...typed, [key]: event.target.value })} />}
    </Field>
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t.webhooks.add}
      description={secret ? t.webhooks.secretOnce : t.webhooks.addText}
      action={t.webhooks.create}
      command={createCommand(body)}
      ready={ready}
      busy={make.isPending}
      onSubmit={() => make.mutate()}
      error={make.error}
      done={secret && <CommandLine text={secret} />}
    >
      {field('name', t.webhooks.name, undefined, 'ops')}
      {field('url', t.webhooks.url, t.webhooks.urlHint, 'https://')}
      {field('events', t.webhooks.events, t.webhooks.eventsHint, 'run.failed')}
      {field('namespace', t.webhooks.namespace, t.webhooks.namespaceHint)}
      {field('job', t.webhooks.job, t.webhooks.jobHint)}
    </FormDialog>
  );
}
