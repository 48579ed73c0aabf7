import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Field, Select, TextArea, TextInput } from '@/components/Field';
import { appsQuery } from '../xxl/queries';
import css from './Editor.module.css';
import type { PartProps } from './JobForm';
import { type Path, at } from './document';
import { jobSchema } from './jobSchema';

/** What an executor of XXL-JOB does for the job. Its route stands with those of other jobs. */
export function XxlFields({ value, onChange, problem, words: t }: PartProps) {
  const list = useId();
  // Who may not see the apps types their names.
  const { data: apps = [] } = useQuery({ ...appsQuery, retry: false });
  const text = (path: Path) => String(at(value, path) ?? '');
  const line = (key: 'app' | 'handler', label: string, more: { hint?: string; list?: string } = {}) => (
    <Field label={label} hint={more.hint} error={problem(['xxl', key])}>
      {(field) => <TextInput {...field} mono list={more.list} value={text(['xxl', key])} onChange={(event) => onChange(['xxl', key], event.target.value)} />}
    </Field>
  );
  return (
    <>
      <div className={css.row}>
        {line('app', t.xxl.app, { hint: t.xxl.appHint, list })}
        {line('handler', t.xxl.handler)}
      </div>
      <datalist id={list}>
        {apps.map(({ name, title }) => (
          <option key={name} value={name}>
            {title ?? name}
          </option>
        ))}
      </datalist>
      <Field label={t.xxl.params} hint={t.xxl.paramsHint} error={problem(['xxl', 'params'])}>
        {(field) => <TextArea {...field} mono rows={2} value={text(['xxl', 'params'])} onChange={(event) => onChange(['xxl', 'params'], event.target.value || undefined)} />}
      </Field>
      <div className={css.row}>
        <Field label={t.xxl.block} error={problem(['xxl', 'block'])}>
          {(field) => (
            <Select {...field} value={text(['xxl', 'block'])} onChange={(event) => onChange(['xxl', 'block'], event.target.value || undefined)}>
              <option value="">{t.xxl.blockDefault}</option>
              {jobSchema.valuesAt(['xxl', 'block'])
                .filter(({ word }) => word !== t.xxl.blockDefault)
                .map(({ word }) => (
                  <option key={word} value={word}>
                    {word}
                  </option>
                ))}
            </Select>
          )}
        </Field>
        <Field label={t.xxl.id} hint={t.xxl.idHint} error={problem(['xxl', 'id'])}>
          {(field) => (
            <TextInput
              {...field}
              inputMode="numeric"
              value={text(['xxl', 'id'])}
              onChange={(event) => {
                const given = event.target.value.trim();
                onChange(['xxl', 'id'], given === '' ? undefined : /^\d+$/.test(given) ? Number(given) : given);
              }}
            />
          )}
        </Field>
      </div>
    </>
  );
}
