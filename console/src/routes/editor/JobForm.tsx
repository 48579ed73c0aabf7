import { Plus, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button, IconButton } from '@/components/Button';
import { Field, Select, TextArea, TextInput } from '@/components/Field';
import { Segments } from '@/components/Segments';
import { useT } from '@/i18n';
import css from './Editor.module.css';
import { type Path, at } from './document';
import { InputField } from './InputField';
import { ParamsForm } from './ParamsForm';
import { ScriptFields } from './ScriptFields';
import { XxlFields } from './XxlFields';
import { ScheduleForm } from './ScheduleForm';
import { emptyTask, taskOf, tasks } from './schedule';
import { jobSchema } from './jobSchema';

export interface JobFormProps {
  value: Record<string, unknown>;
  /** Changes one place of the file; `undefined` takes it out. */
  onChange: (path: Path, value: unknown) => void;
  /** What is wrong, by JSON pointer. */
  problems: ReadonlyMap<string, string>;
  isNew: boolean;
}

export type Words = ReturnType<typeof useT>['editor'];

const zones: readonly string[] = typeof Intl.supportedValuesOf === 'function' ? ['UTC', ...Intl.supportedValuesOf('timeZone')] : ['UTC'];

/** The job file as a form. What it does not show stays in the file untouched. */
export function JobForm({ value, onChange, problems, isNew }: JobFormProps) {
  const { editor: t } = useT();
  const zoneList = useId();
  const text = (path: Path) => {
    const found = at(value, path);
    return found === undefined || found === null ? '' : String(found);
  };
  const problem = (path: Path) => problems.get(`/${path.join('/')}`);
  const line = (path: Path, label: string, more: { hint?: string; placeholder?: string; mono?: boolean; list?: string; readOnly?: boolean } = {}) => {
    const { hint, ...input } = more;
    return (
      <Field label={label} hint={hint} error={problem(path)}>
        {(field) => <TextInput {...field} {...input} value={text(path)} onChange={(event) => onChange(path, event.target.value === '' ? undefined : event.target.value)} />}
      </Field>
    );
  };
  const whole = (path: Path, label: string, placeholder: string) => (
    <Field label={label} error={problem(path)}>
      {(field) => (
        <TextInput
          {...field}
          inputMode="numeric"
          placeholder={placeholder}
          value={text(path)}
          onChange={(event) => {
            const given = event.target.value.trim();
            // What is no number is handed on as it is: the server says what is wrong with it.
            onChange(path, given === '' ? undefined : /^-?\d+$/.test(given) ? Number(given) : given);
          }}
        />
      )}
    </Field>
  );
  const choice = (path: Path, label: string, otherwise: string) => (
    <Field label={label} error={problem(path)}>
      {(field) => (
        <Select {...field} value={text(path)} onChange={(event) => onChange(path, event.target.value || undefined)}>
          <option value="">{otherwise}</option>
          {jobSchema.valuesAt(path.map(String)).map(({ word }) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );

  return (
    <div className={css.form}>
      <Section title={t.what}>
        <div className={css.row}>
          {line(['name'], t.name, { mono: true, readOnly: !isNew, ...(isNew ? {} : { hint: t.nameKept }) })}
          {line(['description'], t.description)}
          {line(['owner'], t.owner, { placeholder: t.ownerPlaceholder })}
        </div>
        <TaskFields value={value} onChange={onChange} problem={problem} words={t} />
      </Section>
      <Section title={t.when}>
        <ScheduleForm value={value} onChange={onChange} problem={problem} words={t} />
        <div className={css.row}>
          {line(['timezone'], t.zone, { list: zoneList, placeholder: t.zoneDefault })}
          {line(['calendar'], t.calendar, { placeholder: t.none })}
          {choice(['misfire'], t.misfire, t.misfireDefault)}
        </div>
        <datalist id={zoneList}>
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </Section>
      <Section title={t.how}>
        <div className={css.row}>
          {line(['queue'], t.queue, { placeholder: 'default' })}
          {whole(['priority'], t.priority, '5')}
          {choice(['routing'], t.routing, t.anyWorker)}
        </div>
        <div className={css.row}>
          {choice(['overlap'], t.overlap, t.overlapDefault)}
          {whole(['max_active'], t.maxActive, '1')}
          {choice(['on_lost'], t.onLost, t.usual)}
        </div>
        <div className={css.row}>
          {whole(['retries'], t.retries, '0')}
          {line(['retry_delay'], t.retryDelay, { placeholder: '30s', mono: true })}
          {choice(['retry_backoff'], t.backoff, 'fixed')}
        </div>
        <div className={css.row}>
          {line(['timeout'], t.timeout, { placeholder: t.unlimited, mono: true, hint: t.timeoutHint })}
          {line(['run_timeout'], t.runTimeout, { placeholder: t.unlimited, mono: true, hint: t.runTimeoutHint })}
          {line(['start_timeout'], t.startTimeout, { placeholder: t.unlimited, mono: true, hint: t.startTimeoutHint })}
        </div>
      </Section>
      <Section title={t.inputAndParams}>
        <InputField value={at(value, ['input'])} error={problem(['input'])} onChange={(input) => onChange(['input'], input)} />
        <ParamsForm value={at(value, ['params'])} problem={problem} onChange={(params) => onChange(['params'], params)} />
      </Section>
      <Section title={t.labelsAndEnv}>
        <div className={css.row}>
          <Pairs title={t.labels} path={['labels']} value={value} onChange={onChange} words={t} />
          <Pairs title={t.env} path={['env']} value={value} onChange={onChange} words={t} />
        </div>
      </Section>
      <p className={css.quiet}>{t.restInYaml}</p>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={css.section}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

export interface PartProps {
  value: Record<string, unknown>;
  onChange: (path: Path, value: unknown) => void;
  problem: (path: Path) => string | undefined;
  words: Words;
}

function TaskFields({ value, onChange, problem, words: t }: PartProps) {
  const task = taskOf(value);
  const text = (path: Path) => String(at(value, path) ?? '');
  const count = Object.keys((at(value, ['tasks']) as Record<string, unknown> | undefined) ?? {}).length;
  if (count > 0) return <p className={css.quiet}>{t.workflow(String(count))}</p>;
  const choose = (next: (typeof tasks)[number]) => {
    if (task) onChange([task], undefined);
    onChange([next], emptyTask(next));
  };
  return (
    <>
      <Segments label={t.task} options={tasks.map((each) => [each, t.tasks[each]] as const)} value={task} onChange={choose} />
      {!task && <p className={css.quiet}>{t.chooseTask}</p>}
      {task === 'run' && (
        <Field label={t.run} hint={t.runHint} error={problem(['run'])}>
          {(field) => <TextArea {...field} mono rows={Math.min(18, Math.max(3, text(['run']).split('\n').length + 1))} value={text(['run'])} onChange={(event) => onChange(['run'], event.target.value)} />}
        </Field>
      )}
      {task === 'exec' && (
        <Field label={t.exec} hint={t.execHint} error={problem(['exec'])}>
          {(field) => (
            <TextArea {...field} mono rows={4} value={((at(value, ['exec']) as unknown[] | undefined) ?? []).join('\n')} onChange={(event) => onChange(['exec'], event.target.value.split('\n'))} />
          )}
        </Field>
      )}
      {task === 'script' && <ScriptFields value={value} onChange={onChange} problem={problem} words={t} />}
      {task === 'handler' && (
        <Field label={t.handler} hint={t.handlerHint} error={problem(['handler'])}>
          {(field) => <TextInput {...field} mono value={text(['handler'])} onChange={(event) => onChange(['handler'], event.target.value)} />}
        </Field>
      )}
      {task === 'xxl' && <XxlFields value={value} onChange={onChange} problem={problem} words={t} />}
      {task === 'http' && (
        <>
          <div className={css.rowHttp}>
            <Field label={t.method} error={problem(['http', 'method'])}>
              {(field) => (
                <Select {...field} value={text(['http', 'method']) || 'GET'} onChange={(event) => onChange(['http', 'method'], event.target.value)}>
                  {['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((method) => (
                    <option key={method}>{method}</option>
                  ))}
                </Select>
              )}
            </Field>
            <Field label={t.url} error={problem(['http', 'url'])}>
              {(field) => <TextInput {...field} mono inputMode="url" value={text(['http', 'url'])} onChange={(event) => onChange(['http', 'url'], event.target.value)} />}
            </Field>
          </div>
          <Pairs title={t.headers} path={['http', 'headers']} value={value} onChange={onChange} words={t} />
        </>
      )}
    </>
  );
}

/** A mapping of words to words. */
function Pairs({ title, path, value, onChange, words: t }: { title: string; path: Path; value: Record<string, unknown>; onChange: (path: Path, value: unknown) => void; words: Words }) {
  const found = at(value, path);
  const pairs = typeof found === 'object' && found !== null ? Object.entries(found as Record<string, unknown>) : [];
  const write = (next: readonly (readonly [string, unknown])[]) => onChange(path, next.length === 0 ? undefined : Object.fromEntries(next));
  return (
    <div className={css.pairs} role="group" aria-label={title}>
      <div className={css.pairsTitle}>{title}</div>
      {pairs.map(([key, word], index) => (
        <div key={index} className={css.pair}>
          <TextInput mono aria-label={`${title}: ${t.key}`} value={key} onChange={(event) => write(pairs.map((pair, at) => (at === index ? [event.target.value, word] : pair)))} />
          <TextInput mono aria-label={`${title}: ${key}`} value={String(word ?? '')} onChange={(event) => write(pairs.map((pair, at) => (at === index ? [key, event.target.value] : pair)))} />
          <IconButton label={t.removePair(key)} icon={X} onClick={() => write(pairs.filter((_, at) => at !== index))} />
        </div>
      ))}
      <Button size="s" icon={Plus} disabled={pairs.some(([key]) => key === '')} onClick={() => write([...pairs, ['', '']])}>
        {t.addPair}
      </Button>
    </div>
  );
}
