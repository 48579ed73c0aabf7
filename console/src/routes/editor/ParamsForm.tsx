import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '@/components/Button';
import { CheckBox, Select, TextInput } from '@/components/Field';
import { useT } from '@/i18n';
import css from './Editor.module.css';
import type { Path } from './document';
import { jsonText } from './document';
import { defaultOf } from './params';
import { jobSchema } from './jobSchema';

type Param = Record<string, unknown>;

/** What may be given to a run that is asked for: a name, a type, a default. */
export function ParamsForm({ value, problem, onChange }: { value: unknown; problem: (path: Path) => string | undefined; onChange: (params: unknown) => void }) {
  const { editor: t } = useT();
  const params = typeof value === 'object' && value !== null ? Object.entries(value as Record<string, Param | null>) : [];
  const write = (next: readonly (readonly [string, Param | null])[]) => onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  const replace = (index: number, name: string, param: Param) => write(params.map((each, at) => (at === index ? [name, param] : each)));
  return (
    <div className={css.pairs} role="group" aria-label={t.params}>
      <div className={css.pairsTitle}>{t.params}</div>
      {params.map(([name, given], index) => {
        const param = given ?? {};
        const label = (word: string) => `${t.params}: ${name} ${word}`;
        const set = (key: string, next: unknown) => {
          const { [key]: _, ...rest } = param;
          replace(index, name, next === undefined || next === '' ? rest : { ...param, [key]: next });
        };
        const wrong = problem(['params', name]) ?? problem(['params', name, 'default']);
        return (
          <div key={index} className={css.param}>
            <TextInput mono aria-label={`${t.params}: ${t.key}`} value={name} onChange={(event) => replace(index, event.target.value, param)} />
            <Select aria-label={label(t.paramType)} value={String(param.type ?? '')} onChange={(event) => set('type', event.target.value)}>
              <option value="">{t.anyType}</option>
              {jobSchema.valuesAt(['params', 'x', 'type']).map(({ word }) => (
                <option key={word} value={word}>
                  {word}
                </option>
              ))}
            </Select>
            <TextInput
              mono
              aria-label={label(t.paramDefault)}
              aria-invalid={wrong ? true : undefined}
              placeholder={t.paramDefault}
              value={param.default === undefined ? '' : typeof param.default === 'string' ? param.default : jsonText(param.default)}
              onChange={(event) => set('default', defaultOf(param.type, event.target.value))}
            />
            <TextInput aria-label={label(t.description)} placeholder={t.description} value={String(param.description ?? '')} onChange={(event) => set('description', event.target.value)} />
            <CheckBox label={t.required} checked={param.required === true} onChange={(event) => set('required', event.target.checked || undefined)} />
            <IconButton label={t.removePair(name)} icon={X} onClick={() => write(params.filter((_, at) => at !== index))} />
            {wrong && <span className={css.bad}>{wrong}</span>}
          </div>
        );
      })}
      <Button size="s" icon={Plus} disabled={params.some(([name]) => name === '')} onClick={() => write([...params, ['', { type: 'string' }]])}>
        {t.addParam}
      </Button>
    </div>
  );
}
