import { expect, test } from 'vitest';
import type { Run } from '../runs/queries';
import { daysOf, levelOf, weeksAround } from './heat';

test('runs and fires are of the day that they have in the zone', () => {
  const run = (created_at: string, state: string) => ({ created_at, state, fire_at: null }) as Run;
  const days = daysOf([run('2026-11-25T23:30:00Z', 'failed'), run('2026-11-25T22:30:00Z', 'succeeded')], [{ at: '2026-11-26T01:00:00Z' }, { at: '2026-11-26T02:00:00Z', excluded_by: 'x' }], 'Europe/Berlin');
  expect(days.get('2026-11-25')).toMatchObject({ runs: 1, failed: 0 });
  expect(days.get('2026-11-26')).toEqual({ day: '2026-11-26', runs: 1, failed: 1, planned: 1, excluded: 1, first: '2026-11-25T23:30:00Z', last: '2026-11-25T23:30:00Z' });
});

test('weeks begin on Monday and lie around today', () => {
  const weeks = weeksAround('2026-11-25', 2);
  expect(weeks).toHaveLength(5);
  expect(weeks[0]?.[0]).toBe('2026-11-09');
  expect(weeks[2]).toContain('2026-11-25');
  expect(weeks[4]?.[6]).toBe('2026-12-13');
});

test('levels go by magnitude', () => {
  expect([0, 1, 10, 100, 1000].map((count) => levelOf(count, 1000))).toEqual([0, 1, 2, 3, 4]);
  expect(levelOf(1, 1)).toBe(4);
});
