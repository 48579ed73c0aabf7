import { expect, test } from 'vitest';
import { layout } from './layout';
import { boxOf, cut, first, fit, isWhole, neighbour, pathOf, requestOf, shown, widthOf, zoomed } from './shape';

const request = requestOf(['a', 'b', 'c', 'd'], [[0, 1], [0, 2], [1, 3], [2, 3]], 'LR');
const answer = layout(request);

test('arrow keys follow the edges, and go up and down a layer', () => {
  const go = (node: number, arrow: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown', direction: 'LR' | 'TB' = 'LR') => neighbour(node, arrow, answer, request.edges, direction);
  expect(go(0, 'ArrowLeft')).toBeUndefined();
  expect([1, 2]).toContain(go(0, 'ArrowRight'));
  expect(new Set([go(1, 'ArrowDown'), go(1, 'ArrowUp')])).toEqual(new Set([2, undefined]));
  expect(go(3, 'ArrowUp', 'TB')).toBe(go(3, 'ArrowLeft'));
});

test('edges begin and end at the sides of their nodes', () => {
  const from = boxOf(0, request, answer, 'LR');
  expect(pathOf(0, request, answer, 'LR').startsWith(`M${(from.x + from.width).toFixed(1)} ${(from.y + from.height / 2).toFixed(1)}`)).toBe(true);
  const turned = boxOf(0, requestOf(['a'], [], 'TB'), layout(requestOf(['a'], [], 'TB')), 'TB');
  expect(turned).toEqual({ x: 0, y: 0, width: 124, height: 40 });
});

test('labels have room, and long ones are cut', () => {
  expect(widthOf('load')).toBe(124);
  expect(widthOf('数据清洗与装载任务汇总')).toBeGreaterThan(widthOf('abcdefghijkl'));
  expect(cut('x'.repeat(100), 240)).toHaveLength(25);
});

test('the view fits, zooms at a point and follows a node', () => {
  const window = { width: 800, height: 400 };
  expect(fit(400, 100, window)).toEqual({ x: 200, y: 150, scale: 1 });
  expect(fit(7680, 100, window).scale).toBeCloseTo(0.1);
  expect(first(400, 100, window)).toEqual(fit(400, 100, window));
  expect(first(7680, 100, window)).toEqual({ scale: 0.6, x: 16, y: 170 });
  expect(isWhole(400, 100, window, fit(400, 100, window))).toBe(true);
  expect(isWhole(7680, 100, window, fit(7680, 100, window))).toBe(true);
  expect(isWhole(7680, 100, window, first(7680, 100, window))).toBe(false);
  expect(isWhole(400, 100, window, { x: -20, y: 0, scale: 1 })).toBe(false);
  expect(zoomed({ x: 10, y: 0, scale: 1 }, 2, 10, 0)).toEqual({ x: 10, y: 0, scale: 2 });
  expect(shown({ x: 0, y: 0, scale: 1 }, { x: 900, y: 10, width: 100, height: 40 }, window)).toEqual({ x: -224, y: 14, scale: 1 });
});
