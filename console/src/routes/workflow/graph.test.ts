import { expect, test } from 'vitest';
import { focused, graphOf, inOrder, mermaid } from './graph';
import { withGroups } from './groups';

const graph = graphOf({
  extract: { run: 'x' },
  clean: { run: 'x', needs: 'extract', matrix: { a: [1, 2], b: [1, 2, 3] } },
  load: { handler: 'l', needs: ['clean', 'none-such'] },
  report: { noop: true, needs: ['load', 'extract'] },
});
const names = (focus: string) => [...focused(graph, focus)].map((at) => graph.nodes[at]?.name).sort();

test('tasks and what they need are nodes and edges', () => {
  expect(graph.edges).toEqual([[0, 1], [1, 2], [2, 3], [0, 3]]);
  expect(graph.nodes.map(({ kind, times }) => [kind, times])).toEqual([['run', undefined], ['run', 6], ['handler', undefined], ['noop', undefined]]);
});

test.each([
  ['', ['clean', 'extract', 'load', 'report']],
  ['load', ['load']],
  ['+load', ['clean', 'extract', 'load']],
  ['clean+', ['clean', 'load', 'report']],
  ['1+load+1', ['clean', 'load', 'report']],
  ['LOA', ['load']],
  ['nothing', []],
])('the focus %j', (focus, found) => {
  expect(names(focus)).toEqual(found);
});

test('what is needed of another workflow is a node of its own, once', () => {
  const load = { workflow: 'ingest', task: 'load' };
  const found = graphOf({ a: { noop: true, needs: load }, b: { noop: true, needs: ['a', { ...load, at: 'same' }, { workflow: 'w', offset: '-1d' }] } });
  expect(found.nodes.map(({ name, kind }) => [name, kind])).toEqual([['a', 'noop'], ['b', 'noop'], ['ingest:load@same', 'external'], ['w@-1d', 'external']]);
  expect(found.edges).toEqual([[2, 0], [0, 1], [2, 1], [3, 1]]);
});

test('a group is a node that its tasks lead to, and its first tasks need what it needs', () => {
  const tasks = { x: { noop: true }, a: { noop: true, group: 'in' }, b: { noop: true, group: 'in', needs: 'a' }, c: { noop: true, group: 'out' }, end: { noop: true, needs: 'out' } };
  const found = graphOf(withGroups(tasks, { in: { group: 'out' }, out: { needs: 'x' } }));
  expect(found.nodes.slice(4).map(({ name, kind }) => [name, kind])).toEqual([['end', 'noop'], ['in', 'group'], ['out', 'group']]);
  const edges = found.edges.map(([from, to]) => `${found.nodes[from]?.name} ${found.nodes[to]?.name}`).sort();
  expect(edges).toEqual(['a b', 'a in', 'a out', 'b in', 'b out', 'c out', 'out end', 'x a', 'x c']);
  const round = { a: { group: 'b' }, b: { group: 'a' } };
  expect(graphOf(withGroups({ t: { group: 'a', needs: 'b' } }, round)).nodes.map(({ name }) => name)).toEqual(['t', 'a', 'b']);
});

test('what is being written may be anything', () => {
  const found = graphOf({ a: null, b: 'x', c: { needs: ['a', 3, { workflow: 7 }], exec: 'no list', retries: 3n, description: {}, outputs: 7, matrix: 'no' } });
  expect(found.edges).toEqual([[0, 2]]);
  expect(found.nodes[2]?.spec).toEqual({ needs: ['a'], outputs: [], retries: 3 });
});

test('a name cannot break out of a drawing', () => {
  expect(mermaid(graphOf({ 'a"]b': { noop: true } }))).toBe('flowchart LR\n  t0["a#quot;]b"]\n');
});

test('each task comes after what it needs, and circles come last', () => {
  const names = (tasks: Record<string, unknown>) => {
    const of = graphOf(tasks);
    return inOrder(of).map((at) => of.nodes[at]?.name);
  };
  expect(names({ after: { needs: ['gate', 'slow'] }, gate: {}, slow: { needs: 'gate' } })).toEqual(['gate', 'slow', 'after']);
  expect(names({ a: { needs: 'b' }, b: { needs: 'a' }, c: {} })).toEqual(['c', 'a', 'b']);
});
