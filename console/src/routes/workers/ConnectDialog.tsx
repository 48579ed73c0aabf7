import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { CommandLine } from '@/components/Copy';
import { Field, Select, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { shellWord } from '@/lib/commands';
import { config } from '@/lib/config';
import { tokensQuery } from './queries';
import css from './Workers.module.css';

const DAY_MS = 86_400_000;

/** Makes a token, and shows the two commands that connect a worker. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [queues, setQueues] = useState('');
  const [days, setDays] = useState('90');
  const list = queues.split(/[\s,]+/).filter(Boolean);
  const body = () => ({ name: name.trim(), queues: list, ...(days === '' ? {} : { expires_at: new Date(serverNow() + Number(days) * DAY_MS).toISOString() }) });
  const make = useMutation({
    mutationFn: () =>
      ask(
        api.POST('/api/v1/worker-tokens', {
          params: { header: { 'Idempotency-Key': idempotencyKey() } },
          body: body(),
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const token = make.data?.token;
  const server = location.origin + config.base.replace(/\/$/, '');
  const command = ['mainspring', 'worker', '--server', server, '--token-file', 'token', ...(server.startsWith('http:') ? ['--allow-plain-http'] : []), ...(list.length > 0 ? ['--queues', list.join(',')] : [])];
  return (
    <FormDialog
      onClose={onClose}
      title={t.workers.connect}
      description={token ? t.workers.tokenOnce : t.workers.connectText}
      width="l"
      action={t.workers.create}
      ready={name.trim() !== ''}
      command={{
        cli: ['worker', 'token', 'create', name.trim(), ...(list.length > 0 ? ['--queues', list.join(',')] : []), ...(days === '' ? [] : ['--expires', `${days}d`])],
        http: { method: 'POST', path: '/api/v1/worker-tokens', body: body() },
      }}
      busy={make.isPending}
      onSubmit={() => make.mutate()}
      error={make.error}
      done={
        token && (
          <div className={css.form}>
            <p>{t.workers.fileStep}</p>
            <CommandLine text={`(umask 077; printf %s ${shellWord(token)} > token)`} />
            <p>{t.workers.runStep}</p>
            <CommandLine text={command.map(shellWord).join(' ')} />
          </div>
        )
      }
    >
      <Field label={t.workers.tokenName} at="name">{(field) => <TextInput {...field} value={name} maxLength={128} placeholder="build-7" onChange={(event) => setName(event.target.value)} />}</Field>
      <Field label={t.workers.tokenQueues} at="queues" hint={t.workers.tokenQueuesHint}>
        {(field) => <TextInput {...field} value={queues} placeholder="build, default" onChange={(event) => setQueues(event.target.value)} />}
      </Field>
      <Field label={t.workers.days} at="expires_at">
        {(field) => (
          <Select {...field} value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="30">{t.workers.day30}</option>
            <option value="90">{t.workers.day90}</option>
            <option value="365">{t.workers.day365}</option>
            <option value="">{t.workers.never}</option>
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}
