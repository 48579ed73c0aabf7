import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '@/components/Button';
import { CheckBox, Field, Select, TextInput } from '@/components/Field';
import css from './Editor.module.css';
import type { PartProps, Words } from './JobForm';
import type { Path } from './document';
import { type Entry, type Kind, beginKind, kindOf, kinds, lineKinds, readEntries, weekdays, writeEntries } from './schedule';
import { jobSchema } from './jobSchema';

/** The triggers of a job file. */
export function ScheduleForm({ value, onChange, problem, words: t }: PartProps) {
  const entries = readEntries(value);
  const write = (next: readonly Entry[]) => {
    const { key, value: written } = writeEntries(value, next);
    onChange([key], written);
  };
  const pathOf = (index: number): Path => (value.triggers !== undefined ? ['triggers', index] : Array.isArray(value.schedule) ? ['schedule', index] : ['schedule']);
  return (
    <div className={css.triggers}>
      {entries.length === 0 && <p className={css.quiet}>{t.onRequest}</p>}
      {entries.map((entry, index) => (
        <TriggerForm
          key={index}
          entry={entry}
          path={pathOf(index)}
          problem={problem}
          words={t}
          onChange={(next) => write(entries.map((each, at) => (at === index ? next : each)))}
          onRemove={() => write(entries.filter((_, at) => at !== index))}
        />
      ))}
      <Button size="s" icon={Plus} onClick={() => write([...entries, { cron: '0 9 * * *' }])}>
        {t.addTrigger}
      </Button>
    </div>
  );
}

interface TriggerFormProps {
  entry: Entry;
  path: Path;
  problem: PartProps['problem'];
  words: Words;
  onChange: (entry: Entry) => void;
  onRemove: () => void;
}

function TriggerForm({ entry, path, problem, words: t, onChange, onRemove }: TriggerFormProps) {
  const kind = kindOf(entry);
  const set = (key: string, value: unknown) => onChange(withMember(entry, key, value));
  return (
    <div className={css.triggerBox}>
      <div className={css.trigger}>
        <Select aria-label={t.kind} value={kind} onChange={(event) => onChange(beginKind(entry, event.target.value as Kind))}>
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t.kinds[each]}
            </option>
          ))}
        </Select>
        {lineKinds.includes(kind) ? (
          <TextInput
            mono
            aria-label={t.kinds[kind]}
            aria-invalid={(problem([...path, kind]) ?? problem(path)) ? true : undefined}
            placeholder={t.kindHints[kind]}
            value={String(entry[kind] ?? '')}
            onChange={(event) => set(kind, event.target.value)}
          />
        ) : (
          <span />
        )}
        <IconButton label={t.removeTrigger} icon={X} onClick={onRemove} />
      </div>
      {kind === 'daily_window' && <DailyWindow value={membersOf(entry.daily_window)} error={(key) => problem([...path, kind, key])} words={t} onChange={(next) => set(kind, next)} />}
      {kind === 'calendar_interval' && <CalendarInterval value={membersOf(entry.calendar_interval)} error={(key) => problem([...path, kind, key])} words={t} onChange={(next) => set(kind, next)} />}
      <details className={css.more} open={moreKeys.some((key) => entry[key] !== undefined)}>
        <summary>{t.moreOfTrigger}</summary>
        <div className={css.row}>
          {moreKeys.map((key) => (
            <Line key={key} label={t.triggerKeys[key]} placeholder={t.triggerHints[key]} error={problem([...path, key])} value={entry[key]} onChange={(next) => set(key, next)} />
          ))}
        </div>
      </details>
    </div>
  );
}

const moreKeys = ['jitter', 'timezone', 'start_at', 'end_at'] as const;

interface PartOfTrigger {
  value: Record<string, unknown>;
  error: (key: string) => string | undefined;
  words: Words;
  onChange: (value: Record<string, unknown>) => void;
}

function DailyWindow({ value, error, words: t, onChange }: PartOfTrigger) {
  const set = (key: string, next: unknown) => onChange(withMember(value, key, next));
  const days = value.days === undefined || value.days === null ? [...weekdays] : [value.days].flat().map(String);
  const toggle = (day: string) => {
    const next = weekdays.filter((each) => (each === day ? !days.includes(day) : days.includes(each)));
    set('days', next.length === weekdays.length ? undefined : next);
  };
  return (
    <div className={css.row}>
      <Line label={t.window.every} placeholder="15m" error={error('every')} value={value.every} onChange={(next) => set('every', next ?? '')} />
      <Line label={t.window.from} placeholder="00:00" error={error('from')} value={value.from} onChange={(next) => set('from', next)} />
      <Line label={t.window.to} placeholder="23:59:59" error={error('to')} value={value.to} onChange={(next) => set('to', next)} />
      <div className={css.days} role="group" aria-label={t.window.days}>
        {weekdays.map((day) => (
          <button key={day} type="button" aria-pressed={days.includes(day)} onClick={() => toggle(day)}>
            {t.weekdays[day]}
          </button>
        ))}
      </div>
    </div>
  );
}

function CalendarInterval({ value, error, words: t, onChange }: PartOfTrigger) {
  const set = (key: string, next: unknown) => onChange(withMember(value, key, next));
  const keeps = value.preserve_hour === true;
  return (
    <>
      <div className={css.row}>
        <Line label={t.interval.every} placeholder="1" error={error('every')} value={value.every} onChange={(next) => set('every', wholeOr(next))} />
        <Field label={t.interval.unit} error={error('unit')}>
          {(field) => (
            <Select {...field} value={String(value.unit ?? '')} onChange={(event) => set('unit', event.target.value)}>
              {jobSchema.valuesAt(['schedule', 'calendar_interval', 'unit']).map(({ word }) => (
                <option key={word} value={word}>
                  {t.units[word as keyof typeof t.units] ?? word}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <CheckBox label={t.interval.keepHour} checked={keeps} onChange={(event) => onChange(withMember(withMember(value, 'preserve_hour', event.target.checked || undefined), 'skip_missing_hour', undefined))} />
      {keeps && <CheckBox label={t.interval.skipHour} checked={value.skip_missing_hour === true} onChange={(event) => set('skip_missing_hour', event.target.checked || undefined)} />}
    </>
  );
}

function Line({ label, placeholder, error, value, onChange }: { label: string; placeholder: string; error: string | undefined; value: unknown; onChange: (value: string | undefined) => void }) {
  return (
    <Field label={label} error={error}>
      {(field) => <TextInput {...field} mono placeholder={placeholder} value={value === undefined || value === null ? '' : String(value)} onChange={(event) => onChange(event.target.value || undefined)} />}
    </Field>
  );
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A copy with one member set, or without it. */
function withMember(value: Record<string, unknown>, key: string, next: unknown): Record<string, unknown> {
  const { [key]: _, ...rest } = value;
  if (next === undefined) return rest;
  // A member that is there keeps its place in the text.
  return key in value ? { ...value, [key]: next } : { ...rest, [key]: next };
}

/** What is no whole number is handed on as it is: the server says what is wrong with it. */
function wholeOr(text: string | undefined): unknown {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : text;
}
