import { expect, test } from 'vitest';
import { movesOf, nodesNamed, ranges, rolesOf, shardsOf, standingOf } from './node';
import type { Node } from './queries';

const node = (more: Partial<Node>): Node => ({ id: '1', name: 'a', version: '1', state: 'active', shards: 3, answering: false, drain_asked: false, silent_ms: 0, ...more });

test('of two processes of a name, the one that was heard last comes first', () => {
  const nodes = [node({ id: 'dead', silent_ms: 4000 }), node({ id: 'other', name: 'b' }), node({ id: 'new', silent_ms: 200 })];
  expect(nodesNamed(nodes, 'a').map(({ id }) => id)).toEqual(['new', 'dead']);
  expect(nodesNamed(nodes, 'c')).toEqual([]);
});

test('a node that is silent says nothing of itself any more', () => {
  expect(standingOf(node({ state: 'draining' }))).toBe('draining');
  expect(standingOf(node({ silent_ms: 3001 }))).toBe('silent');
  expect(standingOf(undefined)).toBe('gone');
});

test('what a node does is told by what it has', () => {
  expect(rolesOf(node({ slots: 8 }))).toEqual(['fires', 'executes', 'serves']);
  expect(rolesOf(node({}))).toEqual(['fires', 'serves']);
  expect(rolesOf(node({ state: 'draining', shards: 0, slots: 8 }))).toEqual(['serves']);
});

test('moves are told from where one looks', () => {
  const moves = [
    { at: '3', from: 'a', to: 'a', shards: [7], unowned_ms: 10 },
    { at: '2', from: 'a', to: 'b', shards: [0, 1], unowned_ms: 0 },
    { at: '1', to: 'a', shards: [4], unowned_ms: 0 },
    { at: '0', from: 'b', to: 'c', shards: [9], unowned_ms: 0 },
  ];
  expect(movesOf(moves, 'a').map(({ kind, other }) => [kind, other])).toEqual([['again', undefined], ['gave', 'b'], ['took', undefined]]);
  expect(movesOf(moves, 'b').map(({ kind, other }) => [kind, other])).toEqual([['took', 'a'], ['gave', 'c']]);
});

test('numbers are shown as ranges', () => {
  expect(ranges([0, 1, 2, 3, 7, 9, 10, 255])).toBe('0–3, 7, 9, 10, 255');
  expect(ranges([])).toBe('');
  expect(shardsOf({ shards: [{ number: 0, owner: 'x' }, { number: 1, owner: 'y' }, { number: 2 }] }, ['y', 'z'])).toEqual([1]);
});
