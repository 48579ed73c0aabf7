import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { Button, IconButton } from '@/components/Button';
import { CheckBox, Field, TextArea, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { asText } from '@/components/Overtaken';
import { useT } from '@/i18n';
import css from './Alerts.module.css';
import { ruleCommand } from './commands';
import { type TypedAlert, type TypedRule, isRuleReady, newAlert, ruleOf, typedRule } from './form';
import { toastSaved } from './parts';
import type { Channel, Rule } from './queries';

/** Makes a rule, or changes one. */
export function RuleDialog({ rule, ns, channels, onClose }: { rule?: Rule | undefined; ns: string; channels: readonly Channel[]; onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [typed, setTyped] = useState(() => {
    const start = typedRule(rule?.spec, ns);
    const only = channels.length === 1 ? channels[0]?.name : undefined;
    return rule || !only ? start : { ...start, alerts: start.alerts.map((alert) => ({ ...alert, channels: [only] })) };
  });
  const set = (change: Partial<TypedRule>) => setTyped((before) => ({ ...before, ...change }));
  const setAlert = (at: number, change: Partial<TypedAlert>) => set({ alerts: typed.alerts.map((alert, index) => (index === at ? { ...alert, ...change } : alert)) });
  const [version, setVersion] = useState(rule?.version);
  const ready = isRuleReady(typed);
  const save = useMutation({
    mutationFn: (version: number | undefined) => {
      const body = ruleOf(typed);
      return ask(api.PUT('/api/v1/alert-rules/{rule}', { params: { path: { rule: body.name }, header: version === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` } }, body }));
    },
    onSuccess: (saved) => {
      onClose();
      toastSaved(t, saved.warnings);
      return client.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const find = async () => {
    const { spec, version } = await ask(api.GET('/api/v1/alert-rules/{rule}', { params: { path: { rule: ruleOf(typed).name } } }));
    const take = () => {
      setTyped(typedRule(spec, ns));
      setVersion(version);
      save.reset();
    };
    return { text: asText(spec), take, replace: () => save.mutate(version) };
  };
  const line = (key: 'name' | 'namespace' | 'job' | 'labels', label: string, more: { hint?: string; placeholder?: string; disabled?: boolean } = {}) => {
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
      title={rule ? t.alerts.changeTitle(rule.name) : t.alerts.addRule}
      description={t.alerts.ruleText}
      action={t.common.save}
      command={ruleCommand(ruleOf(typed))}
      ready={ready}
      busy={save.isPending}
      onSubmit={() => save.mutate(version)}
      error={save.error}
      rival={{ mine: asText(ruleOf(typed)), find, isNew: version === undefined }}
      className={css.form}
    >
      {line('name', t.alerts.name, { placeholder: 'team-hr', disabled: version !== undefined })}
      <div className={css.pair}>
        {line('namespace', t.alerts.namespace, { hint: t.alerts.namespaceHint })}
        {line('job', t.alerts.job, { hint: t.alerts.jobHint })}
      </div>
      {line('labels', t.alerts.labels, { hint: t.alerts.labelsHint, placeholder: 'team=hr' })}
      {typed.alerts.map((alert, index) => (
        <AlertFields key={index} at={`alerts/${index}`} alert={alert} channels={channels} onChange={(change) => setAlert(index, change)} onRemove={typed.alerts.length > 1 ? () => set({ alerts: typed.alerts.filter((_, at) => at !== index) }) : undefined} />
      ))}
      <div>
        <Button icon={Plus} size="s" onClick={() => set({ alerts: [...typed.alerts, newAlert] })}>
          {t.alerts.another}
        </Button>
      </div>
    </FormDialog>
  );
}

/** Conditions, and who is told of them. */
function AlertFields({ at, alert, channels, onChange, onRemove }: { at: string; alert: TypedAlert; channels: readonly Channel[]; onChange: (change: Partial<TypedAlert>) => void; onRemove: (() => void) | undefined }) {
  const t = useT();
  const line = (key: 'failed_in_row' | 'late' | 'runs_longer' | 'repeat', label: string, placeholder: string) => (
    <Field label={label} at={`${at}/${key}`}>{(field) => <TextInput {...field} placeholder={placeholder} value={alert[key]} onChange={(event) => onChange({ [key]: event.target.value })} />}</Field>
  );
  const tick = (key: 'failed' | 'misfired' | 'deadline_missed' | 'recovered', label: string) => <CheckBox label={label} checked={alert[key]} onChange={(event) => onChange({ [key]: event.target.checked })} />;
  const names = [...new Set([...channels.map(({ name }) => name), ...alert.channels])];
  const choose = (name: string, on: boolean) => onChange({ channels: on ? [...alert.channels, name] : alert.channels.filter((each) => each !== name) });
  return (
    <fieldset className={css.part}>
      <legend>{t.alerts.when}</legend>
      {onRemove && <IconButton label={t.alerts.removePart} icon={X} className={css.remove} onClick={onRemove} />}
      <div className={css.ticks}>
        {tick('failed', t.alerts.conditionNames.failed)}
        {tick('misfired', t.alerts.conditionNames.misfired)}
        {tick('deadline_missed', t.alerts.conditionNames.deadline_missed)}
      </div>
      <div className={css.three}>
        {line('failed_in_row', t.alerts.conditionNames.failed_in_row, '3')}
        {line('late', t.alerts.conditionNames.late, '10m')}
        {line('runs_longer', t.alerts.conditionNames.runs_longer, '1h')}
      </div>
      <div role="group" aria-label={t.alerts.tabs.channels}>
        <p className={css.label}>{t.alerts.tellChannels}</p>
        <div className={css.ticks}>
          {names.map((name) => (
            <CheckBox key={name} label={name} checked={alert.channels.includes(name)} onChange={(event) => choose(name, event.target.checked)} />
          ))}
        </div>
      </div>
      <div className={css.pair}>
        {line('repeat', t.alerts.repeat, '4h')}
        <Field label={t.alerts.toInstead}>{(field) => <TextArea {...field} rows={1} value={alert.to} placeholder="boss@example.org" onChange={(event) => onChange({ to: event.target.value })} />}</Field>
      </div>
      {tick('recovered', t.alerts.recovered)}
    </fieldset>
  );
}
