import { expect, test } from 'vitest';
import { heightOf, pieces } from './Lines';

test('a line is broken where a point has no value, and one point alone is as wide as its step', () => {
  expect(pieces([0, 60, null, 120, undefined, undefined], 120, false)).toEqual(['50.0,120.0 150.0,60.0', '300.0,0.0 400.0,0.0']);
  expect(pieces([null, null], 1, false)).toEqual([]);
  expect(pieces([], 1, false)).toEqual([]);
});

test('a logarithmic axis has room for milliseconds beside hours', () => {
  expect(heightOf(0, 1000, true)).toBe(0);
  expect(heightOf(1000, 1000, true)).toBe(1);
  expect(heightOf(31, 1000, true)).toBeCloseTo(0.5, 1);
  expect(heightOf(-5, 10, false)).toBe(0);
});
