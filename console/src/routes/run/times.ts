/** What stands between the steps of a run. Pure. */
import { instant } from '@/lib/time';
import type { Attempt, Run } from './queries';

export interface Step {
  id: 'due' | 'created' | 'claimed' | 'started' | 'ended';
  at: string;
  /** Milliseconds since the step before; negative where clocks differ. */
  since?: number;
}

/** The steps of a run that have an instant, in their order. */
export function stepsOf(run: Run, attempts: readonly Attempt[]): Step[] {
  const first = attempts[0];
  const given: [Step['id'], string | null | undefined][] = [
    ['due', run.due_at ?? run.fire_at],
    ['created', run.due_at ?? run.fire_at ? undefined : run.created_at],
    ['claimed', first?.claimed_at],
    ['started', run.started_at ?? first?.started_at],
    ['ended', run.ended_at],
  ];
  const out: Step[] = [];
  for (const [id, at] of given) {
    if (!at) continue;
    const before = out.at(-1);
    out.push({ id, at, ...(before ? { since: instant(at) - instant(before.at) } : {}) });
  }
  return out;
}

export interface Bar {
  attempt: Attempt;
  /** Parts of the whole span, 0 to 1. */
  wait: [number, number];
  work: [number, number] | undefined;
}

/** Where the bars of attempts lie between the first instant and the last. A span of nothing is drawn as one of a millisecond. */
export function barsOf(run: Run, attempts: readonly Attempt[], now: number): { from: number; to: number; bars: Bar[] } {
  const begin = instant(run.due_at ?? run.created_at);
  const end = run.ended_at ? instant(run.ended_at) : now;
  const from = Math.min(begin, ...attempts.map((attempt) => instant(attempt.claimed_at)));
  const to = Math.max(end, from + 1, ...attempts.map((attempt) => (attempt.ended_at ? instant(attempt.ended_at) : from)));
  const part = (at: number) => Math.max(0, Math.min(1, (at - from) / (to - from)));
  let last = begin;
  const bars = attempts.map((attempt): Bar => {
    const started = attempt.started_at ? instant(attempt.started_at) : undefined;
    const ended = attempt.ended_at ? instant(attempt.ended_at) : to;
    const wait: [number, number] = [part(last), part(started ?? ended)];
    last = ended;
    return { attempt, wait, work: started === undefined ? undefined : [part(started), part(ended)] };
  });
  return { from, to, bars };
}
