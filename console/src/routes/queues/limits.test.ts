import { expect, it } from 'vitest';
import { differences, readLimit, settingsOf, typedOf } from './limits';

it('gives back what it was given', () => {
  const settings = { paused: true, max_running: 8, rate: { count: 100, per_ms: 3_600_000 } };
  expect(settingsOf(typedOf(settings), true)).toEqual(settings);
  expect(settingsOf(typedOf({}), false)).toEqual({ paused: false });
});

it('takes whole numbers from 1, and nothing else', () => {
  expect(readLimit(' 12 ')).toBe(12);
  expect(readLimit('')).toBeUndefined();
  for (const text of ['0', '-1', '1.5', 'x', '1e3', '99999999999']) expect(readLimit(text)).toBe('bad');
  expect(settingsOf({ ...typedOf({}), running: '0' }, false)).toBeUndefined();
});

it('tells what differs between two settings', () => {
  const before = { paused: false, max_running: 8 };
  expect(differences(before, before)).toEqual([]);
  expect(differences(before, { paused: false, rate: { count: 100, per_ms: 60_000 } })).toEqual([
    { key: 'max_running', before: '8', after: undefined },
    { key: 'rate', before: undefined, after: '100/1m' },
  ]);
});
