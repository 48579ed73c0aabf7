import { expect, it } from 'vitest';
import { type CalendarSpec, formOf, specOf, weeksOf } from './form';

it('gives every kind of calendar back as it was', () => {
  const all: CalendarSpec[] = [
    { name: 'a', holiday: ['2026-12-25', '2026-12-26'], timezone: 'Asia/Shanghai' },
    { name: 'b', annual: ['12-25'], base: 'a' },
    { name: 'c', weekly: ['sat', 'sun'], description: 'weekends' },
    { name: 'd', monthly: [1, 31] },
    { name: 'e', daily: { from: '22:00', to: '06:00', invert: true } },
    { name: 'f', cron: '* * 0-7 ? * *' },
  ];
  for (const spec of all) expect(specOf(formOf(spec))).toEqual(spec);
});

it('takes one day where the file has one', () => {
  expect(formOf({ name: 'x', weekly: 'sun' }).days).toBe('sun');
});

it('lays a year out in weeks that begin on Monday', () => {
  const weeks = weeksOf(2026);
  expect(weeks[0]).toEqual([undefined, undefined, undefined, '2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']);
  expect(weeks.flat().filter(Boolean)).toHaveLength(365);
  expect(weeksOf(2028).flat().filter(Boolean)).toHaveLength(366);
});
