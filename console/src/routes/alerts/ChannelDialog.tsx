import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { Field, Select, TextArea, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { asText } from '@/components/Overtaken';
import { useT } from '@/i18n';
import css from './Alerts.module.css';
import { channelCommand } from './commands';
import { type ChannelKind, type TypedChannel, channelKinds, channelOf, isChannelReady, noSecret, signed, typedChannel } from './form';
import { SecretField, toastSaved } from './parts';
import type { Channel } from './queries';

/** Makes a channel, or changes one. Secrets that it has are shown as `***`, and stay so. */
export function ChannelDialog({ channel, onClose }: { channel?: Channel | undefined; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [typed, setTyped] = useState(() => typedChannel(channel?.spec));
  const set = (change: Partial<TypedChannel>) => setTyped((before) => ({ ...before, ...change }));
  const [version, setVersion] = useState(channel?.version);
  const ready = isChannelReady(typed);
  const save = useMutation({
    mutationFn: (version: number | undefined) => {
      const body = channelOf(typed);
      return ask(api.PUT('/api/v1/alert-channels/{channel}', { params: { path: { channel: body.name }, header: version === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` } }, body }));
    },
    onSuccess: (saved) => {
      onClose();
      toastSaved(t, saved.warnings);
      return client.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const find = async () => {
    const { spec, version } = await ask(api.GET('/api/v1/alert-channels/{channel}', { params: { path: { channel: channelOf(typed).name } } }));
    const take = () => {
      setTyped(typedChannel(spec));
      setVersion(version);
      save.reset();
    };
    return { text: asText(spec), take, replace: () => save.mutate(version) };
  };
  const line = (key: 'name' | 'server' | 'port' | 'username' | 'from', label: string, more: { hint?: string; placeholder?: string; disabled?: boolean } = {}) => {
    const { hint, ...input } = more;
    return (
      <Field label={label} at={key} hint={hint}>
        {(field) => <TextInput {...field} {...input} autoComplete="off" value={typed[key]} onChange={(event) => set({ [key]: event.target.value })} />}
      </Field>
    );
  };
  return (
    <FormDialog
      onClose={onClose}
      title={channel ? t.alerts.changeTitle(channel.name) : t.alerts.addChannel}
      description={t.alerts.channelText}
      action={t.common.save}
      command={channelCommand(channelOf(typed))}
      ready={ready}
      busy={save.isPending}
      onSubmit={() => save.mutate(version)}
      error={save.error}
      rival={{ mine: asText(channelOf(typed)), find, isNew: version === undefined }}
      className={css.form}
    >
      <div className={css.pair}>
        {line('name', t.alerts.name, { placeholder: 'night-shift', disabled: version !== undefined })}
        <Field label={t.alerts.kind}>
          {(field) => (
            <Select {...field} value={typed.kind} onChange={(event) => set({ kind: event.target.value as ChannelKind, ...(typed.url.text === '***' ? { url: noSecret, secret: noSecret } : {}) })}>
              {channelKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {t.alerts.kinds[kind]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {typed.kind === 'email' ? (
        <>
          <div className={css.pair}>
            {line('server', t.alerts.server, { placeholder: 'smtp.example.org' })}
            {line('port', t.alerts.port, { placeholder: { starttls: '587', tls: '465', none: '25' }[typed.security] })}
          </div>
          <div className={css.pair}>
            <Field label={t.alerts.security}>
              {(field) => (
                <Select {...field} value={typed.security} onChange={(event) => set({ security: event.target.value as TypedChannel['security'] })}>
                  <option value="starttls">STARTTLS</option>
                  <option value="tls">TLS</option>
                  <option value="none">{t.alerts.plain}</option>
                </Select>
              )}
            </Field>
            {line('username', t.alerts.username, { hint: t.alerts.usernameHint })}
          </div>
          <SecretField label={t.alerts.password} value={typed.password} onChange={(password) => set({ password })} />
          {line('from', t.alerts.from, { placeholder: 'Jobs <jobs@example.org>' })}
          <Field label={t.alerts.to} hint={t.alerts.toHint}>
            {(field) => <TextArea {...field} rows={2} value={typed.to} onChange={(event) => set({ to: event.target.value })} />}
          </Field>
        </>
      ) : (
        <>
          <SecretField label={t.alerts.url} hint={t.alerts.urlHint} value={typed.url} onChange={(url) => set({ url })} />
          {signed.includes(typed.kind) && <SecretField label={t.alerts.secret} hint={t.alerts.secretHint} value={typed.secret} onChange={(secret) => set({ secret })} />}
        </>
      )}
    </FormDialog>
  );
}
