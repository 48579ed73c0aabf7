import { expect, test } from 'vitest';
import { type RowGroup, itemsOf, nextRow } from './tableItems';

const group = (name: string, open: boolean, rows: string[], note?: string): RowGroup<string> => ({ key: name, name, count: rows.length, open, onToggle: () => undefined, rows, note });
const short = (items: ReturnType<typeof itemsOf<string>>) => items.map((item) => (item.kind === 'row' ? item.row : `${item.kind} ${item.group.name}`));

test('rows of open groups stand below their heading, with what is said about the rest', () => {
  expect(short(itemsOf(['a', 'b'], undefined))).toEqual(['a', 'b']);
  expect(short(itemsOf([], [group('x', true, ['a'], 'more'), group('y', false, ['b'], 'more'), group('z', true, [])]))).toEqual(['group x', 'a', 'note x', 'group y', 'group z']);
});

test('going on from row to row passes over headings, and stays at the edge', () => {
  const items = itemsOf([], [group('x', true, ['a'], 'more'), group('y', true, ['b'])]);
  expect(nextRow(items, 1, 1)).toBe(4);
  expect(nextRow(items, 4, -1)).toBe(1);
  expect(nextRow(items, 4, 1)).toBe(4);
  expect(nextRow(items, 1, -1)).toBe(1);
  expect(nextRow(items, -1, 1)).toBe(1);
});
