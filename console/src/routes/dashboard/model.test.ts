import { expect, test } from 'vitest';
import type { components } from '@/api/schema';
import { attention, bucketSize, buckets, count, longest, nextHour, percentile } from './model';

type Run = components['schemas']['Run'];

const now = Date.parse('2026-03-01T12:00:00Z');
const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();

function run(job: string, state: Run['state'], startedAgo: number, endedAgo?: number, more: Partial<Run> = {}): Run {
  return {
    id: `${job}-${startedAgo}`,
    namespace: 'default',
    job,
    job_version: 1,
    origin: 'schedule',
    state,
    created_at: at(startedAgo),
    started_at: at(startedAgo),
    ...(endedAgo === undefined ? {} : { ended_at: at(endedAgo) }),
    attempt: 1,
    attempts_max: 1,
    queue: 'default',
    priority: 5,
    ...more,
  };
}

test('bars are as fine as sixty of them allow', () => {
  expect(bucketSize(3_600_000)).toBe(60_000);
  expect(bucketSize(21_600_000)).toBe(900_000);
  expect(bucketSize(86_400_000)).toBe(3_600_000);
});

test('a run counts in the bar in which it ended', () => {
  const bars = buckets([run('a', 'succeeded', 90, 5), run('a', 'failed', 200, 130, { lateness_ms: 40 })], now - 3_600_000, now);
  expect(bars.at(-2)?.succeeded).toBe(1);
  expect(bars.reduce((sum, bar) => sum + bar.failed, 0)).toBe(1);
  expect(bars.find((bar) => bar.lateMax === 40)).toBeDefined();
});

test('percentiles come from the values, not between them', () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
});

test('a job fails for as long as no run of it succeeded', () => {
  const found = attention([run('a', 'failed', 10, 9, { exit_code: 2 }), run('a', 'failed', 70, 69), run('a', 'succeeded', 130, 129), run('a', 'failed', 190, 189)], [], now);
  expect(found).toMatchObject([{ kind: 'failing', job: 'a', count: 2, detail: 'exit 2' }]);
  expect(attention([run('a', 'succeeded', 10, 9), run('a', 'failed', 70, 69)], [], now)).toEqual([]);
});

test('a run is stuck far beyond the usual time, not before a minute', () => {
  const usual = [run('a', 'succeeded', 1000, 980), run('a', 'succeeded', 900, 880)];
  expect(attention([run('a', 'running', 300), ...usual], [], now).map((item) => item.kind)).toEqual(['stuck']);
  expect(attention([run('a', 'running', 50), ...usual], [], now)).toEqual([]);
});

test('a queue that waits without workers is named', () => {
  const queue = { name: 'gpu', paused: false, queued: 3, running: 0, workers: 0 } as components['schemas']['Queue'];
  expect(attention([], [queue], now)).toMatchObject([{ kind: 'no_worker', queue: 'gpu', count: 3 }]);
  expect(attention([], [{ ...queue, workers: 1 }], now)).toEqual([]);
});

test('the peak of the next hour is its fullest minute', () => {
  const fire = (secondsAhead: number) => ({ due_at: at(-secondsAhead) }) as components['schemas']['NextFire'];
  const next = nextHour([fire(30), fire(130), fire(140)], now);
  expect(next.minutes.slice(0, 3)).toEqual([1, 0, 2]);
  expect(next.peak).toEqual({ at: now + 120_000, fires: 2 });
  expect(nextHour([], now).peak).toBeUndefined();
});

test('the longest run now is the one that started first', () => {
  expect(longest([run('a', 'running', 5), run('b', 'running', 50), run('c', 'succeeded', 90, 1)]).map(({ job }) => job)).toEqual(['b', 'a']);
  expect(count([run('a', 'failed', 5, 1)])).toMatchObject({ runs: 1, failed: 1 });
});
