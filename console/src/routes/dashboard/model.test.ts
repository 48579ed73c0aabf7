import { expect, test } from 'vitest';
import type { Dashboard } from './queries';
import { coarser, isHerd, later, misfireRange, peakOf, runsOf, upcoming } from './model';

const point = (at: number, failed: number, late?: number): Dashboard['series'][number] => ({
  at: new Date(at).toISOString(),
  fires: 1,
  succeeded: 1,
  failed,
  cancelled: 0,
  skipped: 0,
  missed: 0,
  late_max_ms: late ?? null,
});

test('bars are joined from the end, and nothing is lost', () => {
  const bars = coarser([point(0, 1), point(1, 2, 7), point(2, 3), point(3, 4, 5), point(4, 5)], 3);
  expect(bars.map((bar) => bar.failed)).toEqual([1, 5, 9]);
  expect(bars.map((bar) => bar.late_max_ms)).toEqual([null, 7, 5]);
  expect(coarser([point(0, 1)], 60)).toHaveLength(1);
  expect(coarser([], 60)).toEqual([]);
});

const part = (minute: number, fires: number, ...jobs: string[]): Dashboard['next_hour'][number] => ({
  at: new Date(minute * 60_000).toISOString(),
  fires,
  top: jobs.map((job, index) => ({ namespace: 'default', job, at: new Date(minute * 60_000 + index * 1000).toISOString() })),
});

test('the peak is the fullest part, and none when nothing fires', () => {
  expect(peakOf([part(0, 1), part(5, 4), part(10, 4)])?.at).toBe(part(5, 0).at);
  expect(peakOf([part(0, 0)])).toBeUndefined();
});

test('a herd is many fires that come together', () => {
  const quiet = [part(0, 2), part(5, 3), part(10, 2)];
  const herd = part(15, 12);
  expect(isHerd([...quiet, herd], herd)).toBe(true);
  expect(isHerd([part(0, 9), part(5, 0), part(10, 0)], part(0, 9))).toBe(false);
  expect(isHerd([part(0, 40), part(5, 38), part(10, 39)], part(0, 40))).toBe(false);
});

test('each job is named once, at its first fire', () => {
  expect(upcoming([part(5, 2, 'b', 'a'), part(0, 2, 'a')]).map(({ job, at }) => [job, Date.parse(at)])).toEqual([
    ['a', 0],
    ['b', 300_000],
  ]);
});

test('what fires after the next hour is of other jobs', () => {
  const job = (name: string, at: number | null) => ({ namespace: 'default', name, next_fire_at: at === null ? null : new Date(at).toISOString() });
  const listed = [{ namespace: 'default', job: 'a', at: new Date(0).toISOString() }];
  expect(later(listed, [job('a', 1), job('b', 2), job('c', null), job('d', 4)]).map(({ job: name, at }) => [name, Date.parse(at)])).toEqual([['b', 2], ['d', 4]]);
});

test('what was missed in a range is in that of the page that it leads to', () => {
  expect(['1h', '6h', '24h', '7d', '30d', '90d'].map(misfireRange)).toEqual([undefined, undefined, undefined, '7d', '30d', '30d']);
});

test('a bar leads to the runs that it counts', () => {
  const bars = [{ at: '2026-01-30T12:00:00Z' }, { at: '2026-01-30T12:01:00Z' }];
  expect(runsOf(bars, 0)).toEqual({ q: 'ended>=2026-01-30T12:00:00Z ended<2026-01-30T12:01:00Z', to: '2026-01-30T12:01:00Z' });
  expect(runsOf(bars, 1)).toEqual({ q: 'ended>=2026-01-30T12:01:00Z' });
});
