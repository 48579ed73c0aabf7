import { expect, test } from 'vitest';
import { layout } from '../workflow/layout';
import { pathOf } from '../workflow/shape';
import { MINUTE, fullness, graphOf, isStarted, kindOf, lineOf, minutesOf, stateOf, withPresent } from './model';
import type { FlowMinute } from './queries';

const connections = [
  { name: 'a:b', from: 'a', to: 'b' },
  { name: 'b:b:failure', from: 'b', to: 'b' },
];

test('a queue is a node between its components, also where a component feeds itself', () => {
  const { nodes, request } = graphOf(['a', 'b'], connections, 'LR');
  expect(nodes.map(({ name }) => name)).toEqual(['a', 'b', 'a:b', 'b:b:failure']);
  expect(request.edges).toEqual([[0, 2], [2, 1], [1, 3], [3, 1]]);
  const answer = layout(request);
  // The edge that closes the circle goes round below both, and forward ones do not.
  expect(pathOf(3, request, answer, 'LR')).toContain('L');
  expect(pathOf(0, request, answer, 'LR')).not.toContain('NaN');
});

test('connections of components that are not there lead nowhere', () => {
  expect(graphOf(['a'], connections, 'TB').request.edges).toEqual([]);
});

test('a body has the word of the file', () => {
  expect(kindOf({ run: 'true', event: true } as never)).toBe('run');
  expect(kindOf({ funnel: true } as never)).toBe('funnel');
  expect(kindOf(undefined)).toBe('');
});

test('states and fullness', () => {
  expect(stateOf({ state: 'run_once' })).toEqual({ state: 'running', word: 'run_once' });
  expect(stateOf({ state: 'waiting_valid' })).toEqual({ state: 'waiting', word: 'waiting_valid' });
  expect(['running', 'run_once', 'waiting_valid', 'stopped', 'disabled'].map((state) => isStarted({ state }))).toEqual([true, true, true, false, false]);
  expect(stateOf({ state: 'disabled' }).word).toBe('disabled');
  expect(fullness({ items: 50, bytes: 0, max_items: 100, max_bytes: 0 })).toBe(0.5);
  expect(fullness({ items: 1, bytes: 300, max_items: 100, max_bytes: 100 })).toBe(1);
});

test('minutes in which nothing happened are filled in, up to the present one', () => {
  const begin = Date.UTC(2026, 2, 29, 10);
  const did = { items_in: 3, bytes_in: 9, items_out: 2, bytes_out: 6, tasks: 5, task_ms: 1 };
  const minute = (at: number, items: number) => ({ at: new Date(begin + at * MINUTE).toISOString(), components: { work: did }, queues: (items > 0 ? { 'a:b': { items, bytes: items * 2 } } : {}) as FlowMinute['queues'] });
  const samples = minutesOf([minute(0, 4), minute(3, 0)], begin + 5.5 * MINUTE);
  expect(samples.map(({ at }) => (at - begin) / MINUTE)).toEqual([0, 1, 2, 3, 4]);
  expect(samples.map(({ values }) => values.get('q a:b')?.[0] ?? 0)).toEqual([4, 4, 4, 0, 0]);
  expect(samples.map(({ values }) => values.get('c work')?.[2] ?? 0)).toEqual([5, 0, 0, 5, 0]);
  expect(minutesOf([], begin)).toEqual([]);
  const present = withPresent(samples, { connections: [{ name: 'a:b', items: 8, bytes: 16 }] } as never, begin + 5.5 * MINUTE);
  const line = lineOf(present, 'q a:b', 0);
  expect([line.max, line.last]).toEqual([8, 8]);
  expect(line.points.split(' ').at(-1)).toBe('100.00,2.00');
  expect(lineOf([], 'q x', 0)).toEqual({ points: '', max: 0, last: 0 });
});
