import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { idempotencyKey, send } from '@/api/client';
import { Field, Select, TextArea, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { parseExact } from '@/lib/json';
import { exactParam, readParam } from './figures';
import type { Given } from './given';
import type { Job, ParamSpec } from './queries';

export interface RunNowProps {
  job: Job;
  /** What the form begins with; empty when absent. */
  given?: Given;
  title?: string;
  description?: string;
  onStarted?: (run: { id: string; namespace: string }) => void;
  onClose: () => void;
}

/** Asks for parameters, and starts a run. */
export function RunNow({ job, given: begun, title, description, onStarted, onClose }: RunNowProps) {
  const t = useT();
  const params = Object.entries(job.spec.params ?? {});
  const [typed, setTyped] = useState<Record<string, string>>(begun?.typed ?? {});
  const [input, setInput] = useState(begun?.input ?? '');
  const [reason, setReason] = useState('');
  const start = useMutation({
    mutationFn: async (body: string) => {
      const path = fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/run', { namespace: job.namespace, job: job.name });
      return JSON.parse(await send({ method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey() } })) as { id: string; namespace: string };
    },
    onSuccess: (run) => {
      onClose();
      onStarted?.(run);
      toast({
        tone: 'good',
        text: t.jobDetail.started,
        link: onStarted ? undefined : (
          <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }}>
            {t.jobDetail.openRun}
          </Link>
        ),
      });
    },
  });
  const wrong = (name: string, param: ParamSpec): boolean => {
    const value = typed[name] ?? '';
    if (value === '') return false;
    try {
      readParam(param.type, value);
      return false;
    } catch {
      return true;
    }
  };
  const badInput = input.trim() !== '' && !isJson(input);
  const missing = params.some(([name, param]) => param.required && param.default === undefined && (typed[name] ?? '') === '');
  const ready = !badInput && !missing && !params.some(([name, param]) => wrong(name, param));
  const given = params.filter(([name]) => (typed[name] ?? '') !== '');
  const body = () => {
    const members = given.map(([name, param]) => `${JSON.stringify(name)}:${exactParam(param.type, typed[name] ?? '')}`);
    // Put together as text: numbers keep every digit.
    const parts = [members.length > 0 && `"params":{${members.join(',')}}`, input.trim() !== '' && `"input":${input}`, reason !== '' && `"reason":${JSON.stringify(reason)}`];
    return `{${parts.filter(Boolean).join(',')}}`;
  };
  const command = (): Command => ({
    cli: [
      'run', 'start', `${job.namespace}/${job.name}`,
      ...given.flatMap(([name]) => ['-p', `${name}=${typed[name] ?? ''}`]),
      ...(input.trim() !== '' ? ['--input', input.trim()] : []),
      ...(reason !== '' ? ['--reason', reason] : []),
    ],
    http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/run', { namespace: job.namespace, job: job.name }), text: body() },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={title ?? t.jobDetail.runNowTitle(job.name)}
      description={description ?? t.jobDetail.runNowText}
      action={t.jobDetail.start}
      ready={ready}
      command={ready ? command() : []}
      busy={start.isPending}
      onSubmit={() => start.mutate(body())}
      error={start.error}
    >
      {params.map(([name, param]) => (
        <Field key={name} at={`params/${name}`} label={name} hint={param.description} aside={[param.type, param.required && t.jobDetail.required].filter(Boolean).join(', ')} error={wrong(name, param) ? param.type : undefined}>
          {(field) => {
            const set = (value: string) => setTyped((before) => ({ ...before, [name]: value }));
            const fallback = param.default === undefined ? '' : typeof param.default === 'string' ? param.default : JSON.stringify(param.default);
            const choices = param.enum && param.enum.length > 0 ? param.enum.map(String) : param.type === 'boolean' ? ['true', 'false'] : undefined;
            return choices ? (
              <Select {...field} value={typed[name] ?? ''} onChange={(event) => set(event.target.value)}>
                <option value="">{fallback === '' ? t.common.none : fallback}</option>
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </Select>
            ) : (
              <TextInput {...field} mono value={typed[name] ?? ''} placeholder={fallback} onChange={(event) => set(event.target.value)} />
            );
          }}
        </Field>
      ))}
      {(params.length === 0 || (begun?.input ?? '') !== '') && (
        <Field label={t.jobDetail.inputJson} at="input" hint={t.jobDetail.inputHint} error={badInput ? t.jobDetail.notJson : undefined}>
          {(field) => <TextArea {...field} mono rows={4} value={input} placeholder="{ }" onChange={(event) => setInput(event.target.value)} />}
        </Field>
      )}
      <Field label={t.common.reason} at="reason" hint={t.common.reasonHint}>
        {(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

function isJson(text: string): boolean {
  try {
    parseExact(text);
    return true;
  } catch {
    return false;
  }
}
