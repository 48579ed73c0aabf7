import { Suspense, lazy } from 'react';
import { Skeleton } from '@/components/Feedback';
import { CheckBox, Field, Select, TextArea } from '@/components/Field';
import { isLanguage } from './script';
import css from './Editor.module.css';
import type { PartProps } from './JobForm';
import { at } from './document';
import { jobSchema } from './jobSchema';

// Colours of languages are needed here alone.
const ScriptEditor = lazy(() => import('../glue/ScriptEditor').then((module) => ({ default: module.ScriptEditor })));

/** A script, what it is written in, and what it is given. */
export function ScriptFields({ value, onChange, problem, words: t }: PartProps) {
  const language = String(at(value, ['script', 'language']) ?? '');
  const source = String(at(value, ['script', 'source']) ?? '');
  const args = (at(value, ['script', 'args']) as unknown[] | undefined) ?? [];
  const asXxl = at(value, ['script', 'xxl_args']) === true;
  const wrong = problem(['script', 'source']) ?? problem(['script']);
  return (
    <>
      <div className={css.row}>
        <Field label={t.scriptLanguage} hint={t.scriptHint} error={problem(['script', 'language'])}>
          {(field) => (
            <Select {...field} value={language} onChange={(event) => onChange(['script', 'language'], event.target.value)}>
              {/* What the file says is shown, whatever it is. */}
              {!isLanguage(language) && <option value={language}>{language}</option>}
              {jobSchema.valuesAt(['script', 'language']).map(({ word }) => (
                <option key={word} value={word}>
                  {isLanguage(word) ? t.languages[word] : word}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t.scriptArgs} hint={t.scriptArgsHint} error={problem(['script', 'args'])}>
          {(field) => (
            <TextArea
              {...field}
              mono
              rows={2}
              disabled={asXxl}
              value={args.join('\n')}
              onChange={(event) => onChange(['script', 'args'], event.target.value === '' ? undefined : event.target.value.split('\n'))}
            />
          )}
        </Field>
      </div>
      <div>
        <div className={css.pairsTitle}>{t.scriptSource}</div>
        <div className={css.script} data-wrong={wrong ? true : undefined}>
          <Suspense fallback={<Skeleton lines={6} />}>
            <ScriptEditor label={t.scriptSource} text={source} language={isLanguage(language) ? language : 'shell'} onChange={(text) => onChange(['script', 'source'], text)} />
          </Suspense>
        </div>
        {wrong && (
          <p className={css.bad} role="alert">
            {wrong}
          </p>
        )}
      </div>
      <CheckBox label={t.scriptXxl} hint={t.scriptXxlHint} checked={asXxl} onChange={(event) => onChange(['script', 'xxl_args'], event.target.checked || undefined)} />
      {problem(['script', 'xxl_args']) && <p className={css.bad}>{problem(['script', 'xxl_args'])}</p>}
    </>
  );
}
