/** What the dashboard shows beyond what the server computed. Pure. */
import type { Dashboard } from './queries';

export const results = ['succeeded', 'failed', 'cancelled', 'skipped'] as const;

type Point = Dashboard['series'][number];

/** Joins neighbouring points until there are at most `most`, so that a bar can be seen and pointed at. */
export function coarser(series: readonly Point[], most: number): Point[] {
  const size = Math.max(1, Math.ceil(series.length / most));
  const out: Point[] = [];
  // From the end: the last bar ends now, the first may be shorter.
  for (let end = series.length; end > 0; end -= size) out.unshift(join(series.slice(Math.max(0, end - size), end)));
  return out;
}

function join(points: readonly Point[]): Point {
  const sum = (key: (typeof results)[number] | 'fires' | 'missed') => points.reduce((total, point) => total + point[key], 0);
  // Percentiles cannot be joined; the worst of them is what one looks for.
  const worst = (key: 'late_p50_ms' | 'late_p99_ms' | 'late_max_ms') => {
    const values = points.flatMap((point) => (point[key] == null ? [] : [point[key]]));
    return values.length === 0 ? null : Math.max(...values);
  };
  return {
    at: points[0]?.at ?? '',
    fires: sum('fires'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    skipped: sum('skipped'),
    missed: sum('missed'),
    late_p50_ms: worst('late_p50_ms'),
    late_p99_ms: worst('late_p99_ms'),
    late_max_ms: worst('late_max_ms'),
  };
}

/** The fullest part of the next hour. */
export function peakOf(parts: Dashboard['next_hour']): Dashboard['next_hour'][number] | undefined {
  return parts.reduce<Dashboard['next_hour'][number] | undefined>((most, part) => (part.fires > (most?.fires ?? 0) ? part : most), undefined);
}

/** A part with fewer fires is no herd, however quiet the others are. */
const HERD_MIN = 10;
/** How many times as many fires as in the median part make a herd. */
const HERD_FACTOR = 4;

/** Whether so many fires come together that jitter would spread them. */
export function isHerd(parts: Dashboard['next_hour'], peak: Dashboard['next_hour'][number]): boolean {
  const sorted = parts.map((part) => part.fires).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return peak.fires >= HERD_MIN && peak.fires >= HERD_FACTOR * median;
}

/** The first fires by name, one line a job. */
export function upcoming(parts: Dashboard['next_hour']): Dashboard['next_hour'][number]['top'] {
  const seen = new Set<string>();
  return parts
    .flatMap((part) => part.top)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .filter(({ namespace, job }) => !seen.has(`${namespace}/${job}`) && seen.add(`${namespace}/${job}`));
}

type Fire = Dashboard['next_hour'][number]['top'][number];

/** The fires of other jobs than those that are listed already. */
export function later(listed: readonly Fire[], jobs: readonly { namespace: string; name: string; next_fire_at?: string | null }[]): Fire[] {
  const known = new Set(listed.map(({ namespace, job }) => `${namespace}/${job}`));
  return jobs.flatMap(({ namespace, name, next_fire_at: at }) => (at && !known.has(`${namespace}/${name}`) ? [{ namespace, job: name, at }] : []));
}

/** The range of the page of misfires that holds what was missed in a range of the dashboard. */
export function misfireRange(range: string): '7d' | '30d' | undefined {
  return range === '7d' ? '7d' : range === '30d' || range === '90d' ? '30d' : undefined;
}

/** The search for the runs that a bar counts: those that ended between its time and that of the next one. */
export function runsOf(bars: readonly Pick<Point, 'at'>[], index: number): { q: string; to?: string } {
  const [from, to] = [bars[index]?.at ?? '', bars[index + 1]?.at];
  // What ended by then was there by then: newer runs need not be searched.
  return to === undefined ? { q: `ended>=${from}` } : { q: `ended>=${from} ended<${to}`, to };
}
