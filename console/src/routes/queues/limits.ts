/** Limits of queues as people type them. Pure. */
import { type Command, fillPath } from '@/lib/commands';
import type { QueueSettings } from './queries';

export interface Typed {
  running: string;
  waiting: string;
  count: string;
  per: string;
}

export function typedOf(settings: QueueSettings): Typed {
  const text = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : '');
  return { running: text(settings.max_running), waiting: text(settings.max_waiting), count: text(settings.rate?.count), per: String(settings.rate?.per_ms ?? 60_000) };
}

/** A whole number of at least 1; nothing when empty. */
export function readLimit(text: string): number | undefined | 'bad' {
  if (text.trim() === '') return undefined;
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : 'bad';
}

/** The settings that were typed, or nothing where a field is not a number. */
export function settingsOf(typed: Typed, paused: boolean): QueueSettings | undefined {
  const running = readLimit(typed.running);
  const waiting = readLimit(typed.waiting);
  const count = readLimit(typed.count);
  if (running === 'bad' || waiting === 'bad' || count === 'bad') return undefined;
  return {
    paused,
    ...(running === undefined ? {} : { max_running: running }),
    ...(waiting === undefined ? {} : { max_waiting: waiting }),
    ...(count === undefined ? {} : { rate: { count, per_ms: Number(typed.per) } }),
  };
}

const units: Readonly<Record<number, string>> = { 1000: '1s', 60_000: '1m', 3_600_000: '1h' };

/** The same for the command line and for curl. A limit that is left empty is none. */
export function limitsCommand(queue: string, settings: QueueSettings): Command {
  const { max_running, max_waiting, rate } = settings;
  return {
    cli: ['queue', 'set', queue, '--max-running', String(max_running ?? 'none'), '--max-waiting', String(max_waiting ?? 'none'), '--rate', rate ? `${rate.count}/${units[rate.per_ms] ?? `${rate.per_ms}ms`}` : 'none'],
    http: { method: 'PUT', path: fillPath('/api/v1/queues/{queue}', { queue }), body: settings },
  };
}

export interface Difference {
  key: 'paused' | 'max_running' | 'rate' | 'max_waiting';
  /** As the command line writes it; absent: none. */
  before: string | undefined;
  after: string | undefined;
}

/** What differs between two settings. */
export function differences(before: QueueSettings, after: QueueSettings): Difference[] {
  const rate = ({ rate }: QueueSettings) => (rate ? `${rate.count}/${units[rate.per_ms] ?? `${rate.per_ms}ms`}` : undefined);
  const number = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : undefined);
  const mark = (paused: boolean | undefined) => (paused ? '⏸' : '⏵');
  const all: Difference[] = [
    { key: 'paused', before: mark(before.paused), after: mark(after.paused) },
    { key: 'max_running', before: number(before.max_running), after: number(after.max_running) },
    { key: 'rate', before: rate(before), after: rate(after) },
    { key: 'max_waiting', before: number(before.max_waiting), after: number(after.max_waiting) },
  ];
  return all.filter((each) => each.before !== each.after);
}

/** What moves the runs that wait in a queue, for the command line and for curl. */
export function moveCommand(queue: string, to: string): Command {
  return { cli: ['queue', 'move', queue, to], http: { method: 'POST', path: fillPath('/api/v1/queues/{queue}/move', { queue }), body: { to } } };
}
