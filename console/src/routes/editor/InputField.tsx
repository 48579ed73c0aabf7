import { useEffect, useState } from 'react';
import { Field, TextArea } from '@/components/Field';
import { useT } from '@/i18n';
import { exactValue, jsonText } from './document';

/** The input of a job as JSON. The file is changed whenever the text can be read. */
export function InputField({ value, error, onChange }: { value: unknown; error: string | undefined; onChange: (value: unknown) => void }) {
  const { editor: t } = useT();
  const written = value === undefined || value === null ? '' : jsonText(value);
  const [typed, setTyped] = useState(written);
  // The file changed by other means: as YAML, or to another version.
  useEffect(() => setTyped((before) => (same(before, written) ? before : written)), [written]);
  const isWrong = typed.trim() !== '' && exactValue(typed) === undefined;
  const change = (text: string) => {
    setTyped(text);
    if (text.trim() === '') return onChange(undefined);
    const read = exactValue(text);
    if (read) onChange(read.value);
  };
  return (
    <Field label={t.input} hint={t.inputHint} error={isWrong ? t.notJson : error}>
      {(field) => <TextArea {...field} mono rows={Math.min(12, Math.max(2, typed.split('\n').length))} placeholder="{}" value={typed} onChange={(event) => change(event.target.value)} />}
    </Field>
  );
}

/** Whether a text stands for the value that is in the file, however it is laid out. */
function same(typed: string, written: string): boolean {
  if (typed.trim() === '') return written === '';
  const read = exactValue(typed);
  // What cannot be read yet is being typed.
  return read === undefined || jsonText(read.value) === written;
}
