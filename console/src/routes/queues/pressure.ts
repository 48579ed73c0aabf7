import type { Queue } from './queries';

/** How a queue does: it fills up, it empties, or neither. */
export type Pressure = 'filling' | 'draining' | undefined;

/** Says whether a queue fills up or empties, by its last five minutes. */
export function pressureOf({ queued, paused, lately }: Pick<Queue, 'queued' | 'paused' | 'lately'>): Pressure {
  if (!lately || queued === 0 || paused) return undefined;
  if (lately.is_filling) return 'filling';
  return lately.left > lately.arrived ? 'draining' : undefined;
}

/** Runs a minute, of five minutes. */
export function aMinute(runs: number): number {
  const each = runs / 5;
  return each >= 10 ? Math.round(each) : Math.round(each * 10) / 10;
}
