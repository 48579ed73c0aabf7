/** What the dashboard shows, computed from what the API tells. Pure: now is an argument. */
import type { components } from '@/api/schema';
import { instant } from '@/lib/time';

type Run = components['schemas']['Run'];
type NextFire = components['schemas']['NextFire'];
type Queue = components['schemas']['Queue'];

export type Result = 'succeeded' | 'failed' | 'cancelled' | 'skipped';
export const results: readonly Result[] = ['succeeded', 'failed', 'cancelled', 'skipped'];

export interface Bucket extends Record<Result, number> {
  at: number;
  lateP50: number | undefined;
  lateP99: number | undefined;
  lateMax: number | undefined;
}

export interface Attention {
  kind: 'failing' | 'late' | 'stuck' | 'no_worker';
  job?: string;
  queue?: string;
  count: number;
  since: number;
  run?: string;
  detail: string;
}

export interface NextHour {
  minutes: number[];
  peak: { at: number; fires: number } | undefined;
}

export interface Counters {
  runs: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  lateP99: number | undefined;
}

export const rangeMs = { '1h': 3_600_000, '6h': 21_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;

/** Sizes of a bar, in milliseconds: the least that gives at most 60 bars. */
const SIZES = [10_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 43_200_000, 86_400_000];

export function bucketSize(spanMs: number): number {
  return SIZES.find((size) => spanMs / size <= 60) ?? 86_400_000;
}

/** The value below which a share of the values lies; the values need not be in order. */
export function percentile(values: readonly number[], share: number): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

const isResult = (state: string): state is Result => (results as readonly string[]).includes(state);

/** Runs by when they ended, in bars of one size that end now. */
export function buckets(runs: readonly Run[], from: number, now: number): Bucket[] {
  const size = bucketSize(now - from);
  const first = Math.floor(from / size);
  const count = Math.floor(now / size) - first + 1;
  const late: number[][] = Array.from({ length: count }, () => []);
  const bars: Bucket[] = Array.from({ length: count }, (_, index) => ({
    at: (first + index) * size,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    skipped: 0,
    lateP50: undefined,
    lateP99: undefined,
    lateMax: undefined,
  }));
  for (const run of runs) {
    const ended = Math.floor(instant(run.ended_at) / size) - first;
    const bar = bars[ended];
    if (bar && isResult(run.state)) bar[run.state] += 1;
    const started = Math.floor(instant(run.started_at) / size) - first;
    if (run.lateness_ms != null) late[started]?.push(run.lateness_ms);
  }
  bars.forEach((bar, index) => {
    const values = late[index] ?? [];
    bar.lateP50 = percentile(values, 0.5);
    bar.lateP99 = percentile(values, 0.99);
    bar.lateMax = values.length > 0 ? Math.max(...values) : undefined;
  });
  return bars;
}

export function count(runs: readonly Run[]): Counters {
  const counters: Counters = { runs: runs.length, succeeded: 0, failed: 0, cancelled: 0, skipped: 0, lateP99: undefined };
  for (const run of runs) if (isResult(run.state)) counters[run.state] += 1;
  counters.lateP99 = percentile(runs.flatMap((run) => (run.lateness_ms == null ? [] : [run.lateness_ms])), 0.99);
  return counters;
}

/** A run that waits longer than this past its due time counts as late. */
const LATE_MS = 60_000;
/** A run counts as stuck from this often its usual time on, and never below a minute. */
const STUCK_FACTOR = 2;
const STUCK_MS = 60_000;

/** What somebody should look at, newest first. Runs are newest first. */
export function attention(runs: readonly Run[], queues: readonly Queue[], now: number): Attention[] {
  const found: Attention[] = [];
  const byJob = new Map<string, Run[]>();
  for (const run of runs) byJob.set(run.job, [...(byJob.get(run.job) ?? []), run]);
  for (const [job, all] of byJob) {
    const failing = failingOf(job, all);
    if (failing) found.push(failing);
    const took = all.filter((run) => run.state === 'succeeded').map((run) => instant(run.ended_at) - instant(run.started_at));
    const usual = percentile(took, 0.95);
    for (const run of all) {
      const ran = now - instant(run.started_at);
      if (run.state === 'running' && usual !== undefined && ran > Math.max(STUCK_MS, STUCK_FACTOR * usual)) {
        found.push({ kind: 'stuck', job, count: Math.round((ran / Math.max(1, usual)) * 10) / 10, since: instant(run.started_at), run: run.id, detail: '' });
      }
    }
    const late = all.filter((run) => run.state === 'queued' && (run.attempt ?? 0) === 0 && now - instant(run.due_at ?? run.created_at) > LATE_MS);
    const oldest = late.at(-1);
    if (oldest) found.push({ kind: 'late', job, count: late.length, since: instant(oldest.due_at ?? oldest.created_at), run: oldest.id, detail: oldest.reason ?? '' });
  }
  return [...found, ...withoutWorkers(queues)].sort((a, b) => (b.since || now) - (a.since || now));
}

function failingOf(job: string, all: readonly Run[]): Attention | undefined {
  const final = all.filter((run) => run.state === 'failed' || run.state === 'succeeded');
  const good = final.findIndex((run) => run.state === 'succeeded');
  const failed = final.slice(0, good < 0 ? final.length : good);
  const newest = failed[0];
  if (!newest) return undefined;
  return {
    kind: 'failing',
    job,
    count: failed.length,
    since: instant(newest.ended_at ?? newest.created_at),
    run: newest.id,
    detail: newest.reason ?? (newest.exit_code != null ? `exit ${newest.exit_code}` : ''),
  };
}

/** Other queues than `default` need workers that join; the servers' own take from `default`. */
function withoutWorkers(queues: readonly Queue[]): Attention[] {
  return queues
    .filter((queue) => queue.name !== 'default' && !queue.paused && queue.queued > 0 && queue.workers === 0)
    .map((queue) => ({ kind: 'no_worker', queue: queue.name, count: queue.queued, since: Number.NaN, detail: '' }));
}

/** Fires of the next hour by minute, and the minute with most. */
export function nextHour(fires: readonly NextFire[], now: number): NextHour {
  const first = Math.floor(now / 60_000);
  const minutes = Array.from({ length: 61 }, () => 0);
  for (const fire of fires) {
    const index = Math.floor(instant(fire.due_at) / 60_000) - first;
    if (index >= 0 && index < minutes.length) minutes[index] = (minutes[index] ?? 0) + 1;
  }
  const most = Math.max(...minutes);
  return { minutes, peak: most > 0 ? { at: (first + minutes.indexOf(most)) * 60_000, fires: most } : undefined };
}

/** Runs that are under way, the longest first. */
export function longest(runs: readonly Run[]): Run[] {
  return runs
    .filter((run) => run.state === 'running' && run.started_at)
    .sort((a, b) => instant(a.started_at) - instant(b.started_at))
    .slice(0, 5);
}
