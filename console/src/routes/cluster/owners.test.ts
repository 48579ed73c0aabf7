import { expect, it } from 'vitest';
import { COLOURS, colourOf, unowned } from './owners';

it('keeps the colour of a node, in whatever order the nodes come', () => {
  const nodes = [{ id: '2', name: 'b' }, { id: '1', name: 'a' }, { id: '0', name: 'b' }];
  expect([...colourOf(nodes)]).toEqual([['1', 0], ['0', 1], ['2', 2]]);
  expect(colourOf([...nodes].reverse())).toEqual(colourOf(nodes));
});

it('shares colours where there are more nodes', () => {
  const nodes = Array.from({ length: 20 }, (_, index) => ({ id: String(index), name: String(index).padStart(2, '0') }));
  expect(Math.max(...colourOf(nodes).values())).toBe(COLOURS - 1);
});

it('counts shards without an owner', () => {
  expect(unowned([{ owner: 'x' }, { owner: null }, {}])).toBe(2);
});
