import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { CheckBox, Field, Select, TextArea, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { asText } from '@/components/Overtaken';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import { calendarCommand } from './commands';
import { type Kind, formOf, kinds, specOf } from './form';
import type { Calendar } from './queries';

/** Makes or changes a calendar. Two people who edit at once do not overwrite each other. */
export function CalendarDialog({ ns, calendar, onClose }: { ns: string; calendar: Calendar | undefined; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  // Of what the form began with: what others save meanwhile is not overwritten unseen.
  const [version, setVersion] = useState(calendar?.version);
  const [form, setForm] = useState(() => formOf(calendar?.spec ?? { name: '' }));
  const set = (next: Partial<typeof form>) => setForm({ ...form, ...next });
  const save = useMutation({
    mutationFn: (version: number | undefined) =>
      ask(
        api.PUT('/api/v1/namespaces/{namespace}/calendars/{calendar}', {
          params: { path: { namespace: ns, calendar: form.name.trim() }, header: version === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` } },
          body: specOf(form),
        }),
      ),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['calendars'] });
      toast({ tone: 'good', text: t.calendars.savedDone });
      onClose();
    },
  });
  const find = async () => {
    const { spec, version } = await ask(api.GET('/api/v1/namespaces/{namespace}/calendars/{calendar}', { params: { path: { namespace: ns, calendar: form.name.trim() } } }));
    const take = () => {
      setForm(formOf(spec));
      setVersion(version);
      save.reset();
    };
    return { text: asText(spec), take, replace: () => save.mutate(version) };
  };
  const ready = form.name.trim() !== '' && form.days.trim() !== '';
  return (
    <FormDialog
      onClose={onClose}
      title={calendar ? t.calendars.editTitle(calendar.name) : t.calendars.addTitle}
      description={t.calendars.effect(calendar?.trigger_count ?? 0)}
      action={t.common.save}
      command={calendarCommand(ns, specOf(form))}
      ready={ready}
      busy={save.isPending}
      onSubmit={() => save.mutate(version)}
      error={save.error}
      rival={{ mine: asText(specOf(form)), find, isNew: version === undefined }}
    >
      <Field label={t.calendars.name} at="name">{(field) => <TextInput {...field} mono value={form.name} readOnly={version !== undefined} maxLength={128} onChange={(event) => set({ name: event.target.value })} />}</Field>
      <Field label={t.calendars.kind}>
        {(field) => (
          <Select {...field} value={form.kind} onChange={(event) => set({ kind: event.target.value as Kind })}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t.calendars.kinds[kind]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t.calendars.days} at={form.kind} hint={t.calendars.daysHint[form.kind]}>
        {(field) => <TextArea {...field} mono rows={form.kind === 'holiday' || form.kind === 'annual' ? 6 : 2} value={form.days} onChange={(event) => set({ days: event.target.value })} />}
      </Field>
      {form.kind === 'daily' && <CheckBox label={t.calendars.invert} checked={form.invert} onChange={(event) => set({ invert: event.target.checked })} />}
      <Field label={t.calendars.zone} at="timezone" hint={t.calendars.zoneHint}>
        {(field) => <TextInput {...field} value={form.timezone} placeholder="Europe/Berlin" onChange={(event) => set({ timezone: event.target.value })} />}
      </Field>
      <Field label={t.calendars.base} at="base" hint={t.calendars.baseHint}>
        {(field) => <TextInput {...field} mono value={form.base} onChange={(event) => set({ base: event.target.value })} />}
      </Field>
      <Field label={t.calendars.description} at="description">{(field) => <TextInput {...field} value={form.description} onChange={(event) => set({ description: event.target.value })} />}</Field>
    </FormDialog>
  );
}
