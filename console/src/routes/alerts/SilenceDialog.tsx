import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { Field, Select, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import css from './Alerts.module.css';
import { type SilenceBody, silenceCommand } from './commands';

/** Which jobs; all of them when nothing is given. */
export interface SilenceOf {
  namespace?: string;
  job?: string;
}

const HOUR = 3_600_000;
const spans = [HOUR / 2, HOUR, 2 * HOUR, 8 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** Asks for how long alerts are held back, and why. */
export function SilenceDialog({ of, onClose }: { of: SilenceOf; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const [typed, setTyped] = useState({ namespace: of.namespace ?? '', job: of.job ?? '', label: '', reason: '' });
  const [span, setSpan] = useState(2 * HOUR);
  const ready = typed.reason.trim() !== '';
  const body = (): SilenceBody => {
    const given = (key: 'namespace' | 'job' | 'label') => (typed[key].trim() === '' ? {} : { [key]: typed[key].trim() });
    return { until: new Date(serverNow() + span).toISOString(), reason: typed.reason.trim(), ...given('namespace'), ...given('job'), ...given('label') };
  };
  const make = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/alert-silences', { params: { header: { 'Idempotency-Key': idempotencyKey() } }, body: body() })),
    onSuccess: () => {
      onClose();
      toast({ tone: 'good', text: t.alerts.silenced });
      return client.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const line = (key: keyof typeof typed, label: string, hint?: string, placeholder?: string) => (
    <Field label={label} at={key} hint={hint}>
      {(field) => <TextInput {...field} autoComplete="off" maxLength={500} placeholder={placeholder} value={typed[key]} onChange={(event) => setTyped({ ...typed, [key]: event.target.value })} />}
    </Field>
  );
  return (
    <FormDialog
      onClose={onClose}
      title={of.job ? t.alerts.silenceOf(of.job) : t.alerts.silence}
      description={t.alerts.silenceText}
      action={t.alerts.silence}
      command={silenceCommand(body())}
      ready={ready}
      busy={make.isPending}
      onSubmit={() => make.mutate()}
      error={make.error}
      className={css.form}
    >
      <div className={css.pair}>
        {line('namespace', t.alerts.namespace, t.alerts.namespaceHint)}
        {line('job', t.alerts.job, t.alerts.jobHint)}
      </div>
      <div className={css.pair}>
        {line('label', t.alerts.label, undefined, 'team=hr')}
        <Field label={t.alerts.howLong}>
          {(field) => (
            <Select {...field} value={span} onChange={(event) => setSpan(Number(event.target.value))}>
              {spans.map((each) => (
                <option key={each} value={each}>
                  {formats.duration(each)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {line('reason', t.common.reason)}
    </FormDialog>
  );
}
