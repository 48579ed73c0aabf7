import { expect, test } from 'vitest';
import { daysOfWeek, weeksOf } from './weeks';

test('days are added up from Monday to Sunday', () => {
  // 2026-11-22 is a Sunday.
  const days = [20, 21, 22, 23, 24].map((day) => ({ at: `2026-11-${day}T00:00:00Z`, missed: day }));
  expect(weeksOf(days)).toEqual([
    { monday: '2026-11-16', missed: 63 },
    { monday: '2026-11-23', missed: 47 },
  ]);
  expect(weeksOf([])).toEqual([]);
});

test('a week is told by its first and last day', () => {
  expect(daysOfWeek({ monday: '2026-12-28', missed: 0 }).map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual(['2026-12-28', '2027-01-03']);
});
