import { expect, test } from 'vitest';
import { allFolds, foldEnd, layoutOf } from './folds';
import { empty, merge } from './pages';
import type { LogLine } from './types';

function log(...texts: string[]) {
  const lines = texts.map((text, index): LogLine => ({ line: index + 1, attempt: 1, at: '2026-11-25T09:00:00Z', stream: 'stdout', text }));
  return merge(empty, { lines, next_line: texts.length + 1, first_line: 1, total_lines: texts.length, complete: true, truncated: false });
}

test('a trace hangs on the line that says what was wrong', () => {
  const state = log('start', 'java.lang.Error: x', '\tat a.B', '\tat c.D', 'Caused by: y', '... 3 more', 'end', '  one indented', 'done');
  expect(foldEnd(state, 2)).toBe(6);
  expect(foldEnd(state, 3)).toBeUndefined();
  expect(foldEnd(state, 7)).toBeUndefined();
  expect([...allFolds(state)]).toEqual([[2, 6]]);
});

test('a group ends at its mark, at the next group, or with the log', () => {
  const state = log('::group::a', 'x', '::endgroup::', '::group::b', 'y', '::group::c', 'z');
  expect([...allFolds(state)]).toEqual([
    [1, 3],
    [4, 5],
    [6, 7],
  ]);
  expect(foldEnd({ ...log('::group::a', 'x'), complete: false }, 1)).toBeUndefined();
});

test('rows and lines find each other around folds', () => {
  const layout = layoutOf(101, 20, new Map([[103, 106], [104, 105], [110, 112]]));
  expect(layout.count).toBe(15);
  const lines = Array.from({ length: layout.count }, (_, row) => layout.lineOf(row));
  expect(lines).toEqual([101, 102, 103, 107, 108, 109, 110, 113, 114, 115, 116, 117, 118, 119, 120]);
  for (const [row, line] of lines.entries()) expect(layout.rowOf(line)).toBe(row);
  expect(layout.rowOf(105)).toBe(2);
  expect(layoutOf(5, 3, new Map()).lineOf(2)).toBe(7);
});
