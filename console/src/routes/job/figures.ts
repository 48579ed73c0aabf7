/** Figures of the last runs of a job. Pure. */
import { instant } from '@/lib/time';
import type { Run } from '../runs/queries';

export interface Figures {
  over: number;
  succeeded: number;
  /** Milliseconds; absent without a run that has ended. */
  p50?: number;
  p95?: number;
  lateMax?: number;
}

/** Returns the value below which `share` of the sorted values lie: the nearest rank. */
export function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export function took(run: Pick<Run, 'started_at' | 'ended_at'>): number | undefined {
  const ms = instant(run.ended_at) - instant(run.started_at);
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

export function figuresOf(runs: readonly Run[]): Figures {
  const over = runs.filter((run) => run.ended_at && run.state !== 'skipped');
  const times = over.map(took).filter((ms) => ms !== undefined).sort((a, b) => a - b);
  const late = runs.map((run) => run.lateness_ms).filter((ms) => typeof ms === 'number');
  const p50 = percentile(times, 0.5);
  const p95 = percentile(times, 0.95);
  return {
    over: over.length,
    succeeded: over.filter((run) => run.state === 'succeeded').length,
    ...(p50 === undefined ? {} : { p50 }),
    ...(p95 === undefined ? {} : { p95 }),
    ...(late.length > 0 ? { lateMax: Math.max(...late) } : {}),
  };
}

/** The value of a parameter as JSON text of its type: a whole number keeps every digit. */
export function exactParam(type: string | null | undefined, typed: string): string {
  return type === 'integer' ? typed.trim().replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1') : JSON.stringify(readParam(type, typed));
}

/** The value of a parameter as it was typed, as JSON of its type. Throws what is wrong as a word. */
export function readParam(type: string | null | undefined, typed: string): unknown {
  if (type === 'integer') {
    if (!/^[+-]?\d+$/.test(typed.trim())) throw new Error('integer');
    return Number(typed);
  }
  if (type === 'number') {
    const value = Number(typed);
    if (typed.trim() === '' || !Number.isFinite(value)) throw new Error('number');
    return value;
  }
  if (type === 'boolean') {
    if (typed !== 'true' && typed !== 'false') throw new Error('boolean');
    return typed === 'true';
  }
  return typed;
}
