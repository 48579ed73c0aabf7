/** A calendar as a form: one kind, and its days as text. Pure. */
import type { components } from '@/api/schema';

export type CalendarSpec = components['schemas']['CalendarSpec'];

export const kinds = ['holiday', 'annual', 'weekly', 'monthly', 'daily', 'cron'] as const;
export type Kind = (typeof kinds)[number];

export interface Form {
  name: string;
  kind: Kind;
  days: string;
  invert: boolean;
  base: string;
  timezone: string;
  description: string;
}

export function kindOf(spec: CalendarSpec): Kind {
  return kinds.find((kind) => spec[kind] !== undefined && spec[kind] !== null) ?? 'holiday';
}

function many<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** The days of a calendar, one a line where they are days. */
export function daysOf(spec: CalendarSpec): string {
  const kind = kindOf(spec);
  if (kind === 'cron') return spec.cron ?? '';
  if (kind === 'daily') return spec.daily ? `${spec.daily.from} ${spec.daily.to}` : '';
  const value = spec[kind];
  if (value === null || value === undefined) return '';
  return many<string | number>(value as string | number | (string | number)[]).join(kind === 'holiday' || kind === 'annual' ? '\n' : ' ');
}

export function formOf(spec: CalendarSpec): Form {
  return { name: spec.name, kind: kindOf(spec), days: daysOf(spec), invert: spec.daily?.invert ?? false, base: spec.base ?? '', timezone: spec.timezone ?? '', description: spec.description ?? '' };
}

/** The calendar of a form. What the days mean is the server's to judge; only their shape is made here. */
export function specOf(form: Form): CalendarSpec {
  const words = form.days.split(/[\s,;]+/).filter(Boolean);
  const [from = '', to = ''] = words;
  const days: Partial<CalendarSpec> =
    form.kind === 'cron'
      ? { cron: form.days.trim() }
      : form.kind === 'daily'
        ? { daily: { from, to, ...(form.invert ? { invert: true } : {}) } }
        : form.kind === 'monthly'
          ? { monthly: words.map(Number) }
          : ({ [form.kind]: words } as Partial<CalendarSpec>);
  return {
    name: form.name.trim(),
    ...days,
    ...(form.base.trim() === '' ? {} : { base: form.base.trim() }),
    ...(form.timezone.trim() === '' ? {} : { timezone: form.timezone.trim() }),
    ...(form.description.trim() === '' ? {} : { description: form.description.trim() }),
  };
}

/** The days of a year, in weeks from Monday on: columns of seven, with what lies outside of the year absent. */
export function weeksOf(year: number): (string | undefined)[][] {
  const first = new Date(Date.UTC(year, 0, 1));
  const days = (Date.UTC(year + 1, 0, 1) - first.getTime()) / 86_400_000;
  const lead = (first.getUTCDay() + 6) % 7;
  const cells = [...Array<undefined>(lead), ...Array.from({ length: days }, (_, day) => new Date(first.getTime() + day * 86_400_000).toISOString().slice(0, 10))];
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => Array.from({ length: 7 }, (_, day) => cells[week * 7 + day]));
}
