import type { Problem } from '@/api/problem';
import { Field, Select, TextInput } from '@/components/Field';
import { toast } from '@/components/toast';
import { useT } from '@/i18n';
import css from './Alerts.module.css';
import { type Condition, type TypedSecret, conditionParts } from './form';

/** Says a condition of the API in words. */
export function useConditionWords(): (condition: string) => string {
  const t = useT();
  return (condition) => {
    const [name, measure] = conditionParts(condition);
    return t.alerts.conditionWords[name as Condition]?.(measure) ?? condition;
  };
}

/** Says that something was saved, and what is probably not meant. */
export function toastSaved({ alerts, said }: ReturnType<typeof useT>, warnings: readonly Problem[] = []): void {
  const text = alerts.saved;
  if (warnings.length === 0) return void toast({ tone: 'good', text });
  toast({ text: `${text} ${warnings.map(said.both).join(' ')}`, stays: true });
}

/** A secret as text, or where servers find it. */
export function SecretField({ label, hint, value, onChange }: { label: string; hint?: string; value: TypedSecret; onChange: (next: TypedSecret) => void }) {
  const t = useT();
  const hints = { text: value.text === '***' ? t.alerts.secretKept : hint, file: t.alerts.secretFile, env: t.alerts.secretEnv };
  return (
    <Field label={label} hint={hints[value.place]}>
      {(field) => (
        <div className={css.secret}>
          <TextInput {...field} mono autoComplete="off" value={value.text} onChange={(event) => onChange({ ...value, text: event.target.value })} />
          <Select aria-label={t.alerts.placeOf(label)} value={value.place} onChange={(event) => onChange({ text: '', place: event.target.value as TypedSecret['place'] })}>
            <option value="text">{t.alerts.places.text}</option>
            <option value="file">{t.alerts.places.file}</option>
            <option value="env">{t.alerts.places.env}</option>
          </Select>
        </div>
      )}
    </Field>
  );
}
