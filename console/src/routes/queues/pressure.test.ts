import { expect, test } from 'vitest';
import { aMinute, pressureOf } from './pressure';

const lately = (arrived: number, left: number, is_filling = false) => ({ depths: [0, 0, 0, 0, 0, 1], arrived, left, is_filling });

test('a queue fills up where the server says so, and empties where more leaves than comes', () => {
  expect(pressureOf({ queued: 9, paused: false, lately: lately(9, 3, true) })).toBe('filling');
  expect(pressureOf({ queued: 9, paused: false, lately: lately(3, 9) })).toBe('draining');
  expect(pressureOf({ queued: 9, paused: false, lately: lately(3, 3) })).toBeUndefined();
  expect(pressureOf({ queued: 0, paused: false, lately: lately(3, 9) })).toBeUndefined();
  expect(pressureOf({ queued: 9, paused: true, lately: lately(9, 3, true) })).toBeUndefined();
  expect(pressureOf({ queued: 9, paused: false })).toBeUndefined();
});

test('few runs a minute have a decimal', () => {
  expect([aMinute(0), aMinute(1), aMinute(49), aMinute(123)]).toEqual([0, 0.2, 9.8, 25]);
});
