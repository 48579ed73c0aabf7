/** The triggers of a job file, whichever of its forms it uses. */
import { withGroups } from '../workflow/groups';

export const kinds = ['cron', 'every', 'at', 'delay', 'daily_window', 'calendar_interval'] as const;
export type Kind = (typeof kinds)[number];

/** Kinds whose value is one line of text. */
export const lineKinds: readonly Kind[] = ['cron', 'every', 'at', 'delay'];

export type Entry = Record<string, unknown>;
type File = Record<string, unknown>;

/** Reads `schedule` or `triggers` as a list of triggers. */
export function readEntries(file: File): Entry[] {
  const given = file.triggers ?? file.schedule;
  if (given === undefined || given === null) return [];
  const list = Array.isArray(given) ? given : [given];
  return list.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as Entry) : { cron: String(entry) }));
}

/** Writes a list of triggers in the shortest form, under the key that the file uses. */
export function writeEntries(file: File, entries: readonly Entry[]): { key: 'schedule' | 'triggers'; value: unknown } {
  const key = file.triggers === undefined ? 'schedule' : 'triggers';
  if (entries.length === 0) return { key, value: undefined };
  if (key === 'triggers') return { key, value: entries };
  const short = entries.map((entry) => (Object.keys(entry).join() === 'cron' ? entry.cron : entry));
  return { key, value: short.length === 1 ? short[0] : short };
}

export function kindOf(entry: Entry): Kind {
  return kinds.find((kind) => entry[kind] !== undefined && entry[kind] !== null) ?? 'cron';
}

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The same trigger with another kind of schedule, to begin with; an interval is taken over as one. */
export function beginKind(entry: Entry, kind: Kind): Entry {
  const before = kindOf(entry);
  const { [before]: old, ...rest } = entry;
  if (before === kind) return entry;
  const interval = before === 'every' || before === 'delay' ? String(old) : '5m';
  const begun: Record<Kind, unknown> = {
    cron: '0 9 * * *',
    every: interval,
    delay: interval,
    at: '',
    daily_window: { every: interval, from: '09:00', to: '17:00' },
    calendar_interval: { every: 1, unit: 'month' },
  };
  return { ...rest, [kind]: begun[kind] };
}

/** What the preview is asked about: the trigger with what it takes from the job. */
export function forPreview(file: File, entry: Entry): Entry {
  const zone = entry.timezone ?? file.timezone;
  const calendar = entry.calendar ?? file.calendar;
  return numbers({ ...entry, ...(zone ? { timezone: zone } : {}), ...(calendar ? { calendar } : {}) }) as Entry;
}

/** The file is read with big integers, which JSON.stringify refuses; no number of a trigger is one. */
function numbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(numbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, numbers(member)]));
}

export const tasks = ['run', 'exec', 'script', 'http', 'handler', 'xxl', 'noop'] as const;
export type Task = (typeof tasks)[number];

export function taskOf(file: File): Task | undefined {
  return tasks.find((task) => file[task] !== undefined && file[task] !== null && file[task] !== false);
}

/** The tasks of a workflow, where the file is one. */
export function tasksOf(file: File | undefined): Record<string, unknown> | undefined {
  const { tasks: given, groups } = file ?? {};
  return typeof given === 'object' && given !== null && !Array.isArray(given) && Object.keys(given).length > 0 ? withGroups(given as Record<string, unknown>, groups) : undefined;
}

/** Empty work of a kind, to begin with. */
export function emptyTask(task: Task): unknown {
  return { run: '', exec: [''], script: { language: 'shell', source: '' }, http: { url: 'https://' }, handler: '', xxl: { app: '', handler: '' }, noop: true }[task];
}
