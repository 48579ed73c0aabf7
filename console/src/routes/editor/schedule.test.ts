import { expect, test } from 'vitest';
import { beginKind, forPreview, kindOf, readEntries, taskOf, writeEntries } from './schedule';

test('every form of a schedule reads as a list, and is written back as short as it was', () => {
  for (const file of [
    { schedule: '0 9 * * *' },
    { schedule: { every: '5m' } },
    { schedule: ['0 9 * * *', { every: '5m' }] },
    { triggers: [{ cron: '0 9 * * *', name: 'morning' }] },
    {},
  ]) {
    const { key, value } = writeEntries(file, readEntries(file));
    expect({ ...(value === undefined ? {} : { [key]: value }) }).toEqual(file);
  }
});

test('the kind is the key that says when', () => {
  expect(kindOf({ timezone: 'UTC', every: '5m' })).toBe('every');
  expect(kindOf({})).toBe('cron');
});

test('a trigger takes zone and calendar of its job, unless it names its own', () => {
  const file = { timezone: 'Asia/Shanghai', calendar: 'holidays' };
  expect(forPreview(file, { cron: 'x' })).toEqual({ cron: 'x', timezone: 'Asia/Shanghai', calendar: 'holidays' });
  expect(forPreview(file, { cron: 'x', timezone: 'UTC' }).timezone).toBe('UTC');
});

test('the task is the one that is set', () => {
  expect(taskOf({ noop: false, http: { url: 'x' } })).toBe('http');
  expect(taskOf({ name: 'x' })).toBeUndefined();
});

test('another kind begins with what can be taken over', () => {
  expect(beginKind({ every: '2m', jitter: '5s' }, 'daily_window')).toEqual({ jitter: '5s', daily_window: { every: '2m', from: '09:00', to: '17:00' } });
  expect(beginKind({ cron: '0 1 * * *' }, 'delay')).toEqual({ delay: '5m' });
  expect(beginKind({ every: '2m' }, 'every')).toEqual({ every: '2m' });
});

test('a preview is asked with plain numbers', () => {
  expect(forPreview({ timezone: 'UTC' }, { calendar_interval: { every: 2n, unit: 'month' }, repeat_count: 3n })).toEqual({ calendar_interval: { every: 2, unit: 'month' }, repeat_count: 3, timezone: 'UTC' });
});
