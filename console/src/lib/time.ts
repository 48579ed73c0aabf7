/** How instants and durations are written. Pure: zone, language and now are arguments. */
import type { Language } from './prefs';

const locale = { en: 'en-GB', zh: 'zh-CN' } as const;

interface Parts {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
  second: string;
  weekday: string;
  offset: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, language: Language): Intl.DateTimeFormat {
  const key = `${language} ${zone}`;
  let found = formats.get(key);
  if (!found) {
    const options: Intl.DateTimeFormatOptions = {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      weekday: 'short',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    };
    try {
      found = new Intl.DateTimeFormat(locale[language], { ...options, timeZone: zone });
    } catch {
      // The server knows a zone that this browser does not.
      found = new Intl.DateTimeFormat(locale[language], { ...options, timeZone: 'UTC' });
    }
    formats.set(key, found);
  }
  return found;
}

function parts(ms: number, zone: string, language: Language): Parts {
  const out: Record<string, string> = {};
  for (const part of format(zone, language).formatToParts(ms)) out[part.type] = part.value;
  const word = (key: string) => out[key] ?? '';
  return {
    year: word('year'),
    month: word('month').padStart(2, '0'),
    day: word('day').padStart(2, '0'),
    hour: word('hour'),
    minute: word('minute'),
    second: word('second'),
    weekday: word('weekday'),
    offset: shortOffset(word('timeZoneName')),
  };
}

/** `GMT+08:00` becomes `+08`; `GMT` and `GMT+00:00` become `Z`. */
export function shortOffset(name: string): string {
  const match = /([+\-−])(\d{1,2})(?::?(\d{2}))?/.exec(name);
  if (!match || /^0+$/.test(`${match[2]}${match[3] ?? ''}`)) return 'Z';
  const sign = match[1] === '+' ? '+' : '−';
  const minutes = match[3] && match[3] !== '00' ? `:${match[3]}` : '';
  return `${sign}${(match[2] ?? '').padStart(2, '0')}${minutes}`;
}

export type Precision = 'minute' | 'second' | 'ms';

export interface InstantOptions {
  zone: string;
  language: Language;
  now: number;
  precision?: Precision;
  /** Leaves the offset to the reader's surroundings, such as an axis with a title. */
  offset?: boolean;
  /** Always with the date. */
  date?: boolean;
}

/** Writes an instant: the day is left out when it is today's, the year when it is this year's. */
export function formatInstant(ms: number, options: InstantOptions): string {
  if (!Number.isFinite(ms)) return '—';
  const { zone, language, now, precision = 'second', offset = true, date = false } = options;
  const at = parts(ms, zone, language);
  const today = parts(now, zone, language);
  let text = `${at.hour}:${at.minute}`;
  if (precision !== 'minute') text += `:${at.second}`;
  if (precision === 'ms') text += `.${String(((ms % 1000) + 1000) % 1000).padStart(3, '0')}`;
  if (at.year !== today.year) text = `${at.year}-${at.month}-${at.day} ${text}`;
  else if (date || at.month !== today.month || at.day !== today.day) text = `${at.month}-${at.day} ${text}`;
  return offset ? `${text} ${at.offset}` : text;
}

/** `Mon 2025-11-24 09:00:00.000 +08` */
export function formatFull(ms: number, zone: string, language: Language): string {
  if (!Number.isFinite(ms)) return '—';
  const at = parts(ms, zone, language);
  const fraction = String(((ms % 1000) + 1000) % 1000).padStart(3, '0');
  return `${at.weekday} ${at.year}-${at.month}-${at.day} ${at.hour}:${at.minute}:${at.second}.${fraction} ${at.offset}`;
}

export interface Units {
  ms: string;
  s: string;
  m: string;
  h: string;
  d: string;
  gap: string;
}

/** Writes a duration in at most two units: `84 ms`, `12.4 s`, `1 m 2 s`, `3 d 4 h`. Negative ones keep their sign. */
export function formatDuration(ms: number, units: Units): string {
  if (!Number.isFinite(ms)) return '—';
  if (ms < 0) return `−${formatDuration(-ms, units)}`;
  const one = (value: number | string, unit: string) => `${value}${units.gap}${unit}`;
  if (ms < 10) return one(trimZero(ms.toFixed(1)), units.ms);
  if (Math.round(ms) < 1000) return one(Math.round(ms), units.ms);
  if (ms < 59_950) {
    const seconds = ms / 1000;
    return one(seconds < 10 ? trimZero(seconds.toFixed(1)) : Math.round(seconds), units.s);
  }
  const seconds = Math.round(ms / 1000);
  const steps: [number, string, number, string][] = [
    [86_400, units.d, 3600, units.h],
    [3600, units.h, 60, units.m],
    [60, units.m, 1, units.s],
  ];
  for (const [size, unit, below, belowUnit] of steps) {
    if (seconds < size) continue;
    const rest = Math.floor((seconds % size) / below);
    const whole = one(Math.floor(seconds / size), unit);
    return rest === 0 ? whole : `${whole} ${one(rest, belowUnit)}`;
  }
  return one(seconds, units.s);
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '');
}

/** A duration for relative times: whole seconds at the least, one unit above an hour. */
export function formatDistance(ms: number, units: Units): string {
  const seconds = Math.max(0, Math.floor(Math.abs(ms) / 1000));
  const one = (value: number, unit: string) => `${value}${units.gap}${unit}`;
  if (seconds < 60) return one(seconds, units.s);
  if (seconds < 3600) return one(Math.floor(seconds / 60), units.m);
  if (seconds < 86_400) {
    const minutes = Math.floor((seconds % 3600) / 60);
    const hours = one(Math.floor(seconds / 3600), units.h);
    return minutes === 0 || seconds >= 36_000 ? hours : `${hours} ${one(minutes, units.m)}`;
  }
  return one(Math.floor(seconds / 86_400), units.d);
}

/** Milliseconds of an RFC 3339 instant; NaN when there is none. */
export function instant(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}
