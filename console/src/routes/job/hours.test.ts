import { expect, test } from 'vitest';
import { monthsOf } from './hours';

const run = (id: string, fire_at: string, state: 'failed' | 'succeeded' = 'succeeded') => ({ id, state, fire_at, created_at: fire_at });

test('runs and fires are gathered by month and hour of the zone that is shown', () => {
  const months = monthsOf([run('a', '2026-10-31T23:30:00Z'), run('b', '2026-11-02T00:10:00Z')], [{ at: '2026-12-01T00:00:00Z' }, { at: '2026-12-25T00:00:00Z', excluded_by: 'holidays' }], 'Europe/Berlin');
  expect(months.map(({ month }) => month)).toEqual(['2026-11', '2026-12']);
  expect(months[0]?.hours.map((hour) => hour?.runs ?? 0).slice(0, 3)).toEqual([1, 1, 0]);
  expect(months[1]?.hours[1]).toMatchObject({ runs: 0, planned: 1, excluded: 1 });
  expect(months[0]?.hours).toHaveLength(24);
});

test('the run that is offered is the newest one that failed, and the newest one where none did', () => {
  const [month] = monthsOf([run('a', '2026-11-01T05:00:00Z', 'failed'), run('b', '2026-11-02T05:00:00Z', 'failed'), run('c', '2026-11-03T05:00:00Z'), run('d', '2026-11-01T06:00:00Z'), run('e', '2026-11-02T06:00:00Z')], [], 'UTC');
  expect(month?.hours[5]?.newest?.id).toBe('b');
  expect(month?.hours[6]?.newest?.id).toBe('e');
});

test('an hour that a change of the clock repeats counts once', () => {
  const [month] = monthsOf([run('a', '2026-10-25T00:30:00Z'), run('b', '2026-10-25T01:30:00Z')], [], 'Europe/Berlin');
  expect(month?.hours[2]?.runs).toBe(2);
});
