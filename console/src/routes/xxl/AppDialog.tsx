import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { Field, TextArea, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import { NewToken } from './TokenDialog';
import { type AppBody, changeApp, createApp } from './commands';
import type { XxlApp } from './queries';
import { useRenewXxl } from './useXxlActions';

/** Makes an app, or changes one. */
export function AppDialog({ app, onClose }: { app?: XxlApp; onClose: () => void }) {
  const t = useT();
  const renew = useRenewXxl();
  const [typed, setTyped] = useState({ name: app?.name ?? '', title: app?.title ?? '', slots: app ? String(app.slots) : '', addresses: (app?.addresses ?? []).join('\n'), token: '' });
  const slots = typed.slots.trim();
  const isNumber = slots === '' || /^[1-9]\d{0,4}$/.test(slots);
  const addresses = typed.addresses.split(/\s+/).filter(Boolean);
  const body: AppBody = {
    ...(slots === '' ? {} : { slots: Number(slots) }),
    ...(typed.title.trim() === '' && !app ? {} : { title: typed.title.trim() }),
    ...(addresses.length > 0 || app ? { addresses } : {}),
  };
  const save = useMutation({
    mutationFn: (): Promise<XxlApp> => {
      const header = { 'Idempotency-Key': idempotencyKey() };
      if (app) return ask(api.POST('/api/v1/xxl/apps/{app}', { params: { path: { app: app.name }, header }, body }));
      return ask(api.POST('/api/v1/xxl/apps', { params: { header }, body: { name: typed.name.trim(), ...body, ...(typed.token === '' ? {} : { token: typed.token }) } }));
    },
    onSuccess: () => {
      if (app) {
        toast({ tone: 'good', text: t.xxl.saved });
        onClose();
      }
      return renew();
    },
  });
  const token = app ? undefined : save.data?.token;
  const ready = typed.name.trim() !== '' && isNumber;
  const line = (key: 'name' | 'title' | 'slots' | 'token', label: string, more: { hint?: string; placeholder?: string; mono?: boolean } = {}) => {
    const { hint, ...input } = more;
    return (
      <Field label={label} at={key} hint={hint} error={key === 'slots' && !isNumber ? t.xxl.slotsBad : undefined}>
        {(field) => <TextInput {...field} {...input} value={typed[key]} autoComplete="off" onChange={(event) => setTyped({ ...typed, [key]: event.target.value })} />}
      </Field>
    );
  };
  return (
    <FormDialog
      onClose={onClose}
      title={app ? t.xxl.changeTitle(app.name) : t.xxl.create}
      description={token ? t.xxl.tokenOnce : app ? undefined : t.xxl.createText}
      action={app ? t.common.save : t.xxl.make}
      ready={ready}
      command={app ? changeApp(app.name, body) : createApp(typed.name.trim(), body, typed.token !== '')}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      error={save.error}
      done={token && <NewToken token={token} />}
    >
      {!app && line('name', t.xxl.app, { hint: t.xxl.nameHint, placeholder: 'demo-app', mono: true })}
      {line('title', t.xxl.appTitle)}
      {line('slots', t.xxl.slots, { hint: t.xxl.slotsHint, placeholder: '200' })}
      <Field label={t.xxl.addresses} at="addresses" hint={t.xxl.addressesHint}>
        {(field) => <TextArea {...field} mono rows={3} value={typed.addresses} placeholder="http://10.0.0.7:9999/" onChange={(event) => setTyped({ ...typed, addresses: event.target.value })} />}
      </Field>
      {!app && line('token', t.xxl.oldToken, { hint: t.xxl.oldTokenHint, mono: true })}
    </FormDialog>
  );
}
