import { expect, test } from 'vitest';
import { type LayoutRequest, layout } from './layout';

const request = (count: number, edges: LayoutRequest['edges']): LayoutRequest => ({
  along: Array.from({ length: count }, () => 100),
  across: Array.from({ length: count }, () => 40),
  edges,
});

test('a diamond is drawn in three layers, level and balanced', () => {
  const found = layout(request(4, [[0, 1], [0, 2], [1, 3], [2, 3]]));
  expect(found.along).toEqual([50, 206, 206, 362]);
  expect(found.across[0]).toBeCloseTo(found.across[3] ?? 0);
  expect(Math.abs((found.across[1] ?? 0) - (found.across[2] ?? 0))).toBe(58);
  expect(found.length).toBe(412);
});

test('a long edge passes the layer between beside its node', () => {
  const { bends, across } = layout(request(3, [[0, 1], [1, 2], [0, 2]]));
  expect(bends[0]).toEqual([]);
  expect(bends[2]).toHaveLength(4);
  expect(Math.abs((bends[2]?.[1] ?? 0) - (across[1] ?? 0))).toBeGreaterThan(20);
});

test('cycles and edges to oneself are drawn too', () => {
  const found = layout(request(3, [[0, 1], [1, 2], [2, 0], [1, 1]]));
  expect(found.along).toEqual([50, 206, 362]);
  expect(found.bends).toHaveLength(4);
  expect(layout(request(0, []))).toMatchObject({ length: 0, breadth: 0 });
});

test('no two nodes of a layer overlap', () => {
  const edges = Array.from({ length: 300 }, (_, n): [number, number] => [n % 20, 20 + ((n * 7) % 60)]);
  const { along, across } = layout(request(80, edges));
  const layers = new Map<number, number[]>();
  for (const [node, at] of along.entries()) layers.set(at, [...(layers.get(at) ?? []), across[node] ?? 0]);
  for (const places of layers.values()) {
    const sorted = places.sort((a, b) => a - b);
    for (const [index, place] of sorted.entries()) if (index > 0) expect(place - (sorted[index - 1] ?? 0)).toBeGreaterThanOrEqual(58 - 1e-6);
  }
});

test('a chain of twenty thousand needs no stack', () => {
  const edges = Array.from({ length: 19_999 }, (_, n): [number, number] => [n, n + 1]);
  expect(layout(request(20_000, edges)).along).toHaveLength(20_000);
});
