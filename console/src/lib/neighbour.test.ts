import { expect, test } from 'vitest';
import { neighbour } from './neighbour';

test('a list ends at its edges', () => {
  const of = (meant: string, by: 1 | -1) => neighbour(['a', 'b'], (row) => row === meant, by);
  expect([of('a', 1), of('b', -1), of('a', -1), of('b', 1), of('gone', 1)]).toEqual(['b', 'a', undefined, undefined, undefined]);
});
