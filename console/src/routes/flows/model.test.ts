import { expect, test } from 'vitest';
import { layout } from '../workflow/layout';
import { pathOf } from '../workflow/shape';
import { fullness, graphOf, kindOf, lineOf, stateOf, withSample, SAMPLES_MAX } from './model';

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
  expect(stateOf({ state: 'disabled' }).word).toBe('disabled');
  expect(fullness({ items: 50, bytes: 0, max_items: 100, max_bytes: 0 })).toBe(0.5);
  expect(fullness({ items: 1, bytes: 300, max_items: 100, max_bytes: 100 })).toBe(1);
});

test('lines hold the last five minutes', () => {
  let samples: Parameters<typeof withSample>[0] = [];
  for (let at = 0; at < SAMPLES_MAX + 5; at += 1) samples = withSample(samples, { at, values: new Map([['q x', [at]]]) });
  expect(samples).toHaveLength(SAMPLES_MAX);
  const line = lineOf(samples, 'q x', 0);
  expect([line.max, line.last]).toEqual([304, 304]);
  expect(line.points.split(' ').at(-1)).toBe('100.00,2.00');
  expect(lineOf([], 'q x', 0)).toEqual({ points: '', max: 0, last: 0 });
});
