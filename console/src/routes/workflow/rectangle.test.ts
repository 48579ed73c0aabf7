import { expect, test } from 'vitest';
import type { Run } from '../runs/queries';
import { type Rectangle, boxOf, byTime, chosenOf, datesOf, holds, move, partOf } from './rectangle';
import { statusesOf } from './status';
import type { RunTask } from './queries';

const runs = ['a', 'b', 'c'].map((id, index) => ({ id, fire_at: `2026-11-0${index + 1}T02:00:00Z` })) as Run[];
const tasks = ['extract', 'clean', 'load'];
const drawn: Rectangle = { anchor: { task: 'load', run: 'c' }, head: { task: 'clean', run: 'b' } };

test('a rectangle is the same from whichever corner it is drawn', () => {
  const box = { top: 1, bottom: 2, left: 1, right: 2 };
  expect(boxOf(drawn, tasks, runs)).toEqual(box);
  expect(boxOf({ anchor: drawn.head, head: drawn.anchor }, tasks, runs)).toEqual(box);
  expect([holds(box, 1, 2), holds(box, 0, 1), holds(box, 1, 0), holds(undefined, 1, 1)]).toEqual([true, false, false, false]);
});

test('a rectangle stays on its runs when a newer one comes, and is gone with a run of its corners', () => {
  const newer = [...runs, { id: 'd' }].slice(1);
  expect(boxOf(drawn, tasks, newer)).toEqual({ top: 1, bottom: 2, left: 0, right: 1 });
  expect(boxOf(drawn, tasks, newer.slice(1))).toBeUndefined();
  expect(boxOf(drawn, ['extract', 'load'], runs)).toBeUndefined();
});

test('keys stop at the edges', () => {
  expect(move('ArrowUp', [0, 1], 3, 3)).toEqual([0, 1]);
  expect(move('ArrowRight', [0, 1], 3, 3)).toEqual([0, 2]);
  expect(move('Home', [2, 2], 3, 3)).toEqual([2, 0]);
  expect(move('PageDown', [1, 1], 3, 3)).toEqual([2, 1]);
  expect(move('x', [1, 1], 3, 3)).toBeUndefined();
});

test('tasks that a run does not have are not chosen in it', () => {
  const of = (...names: string[]) => statusesOf(names.map((name) => ({ name, state: 'failed' }) as RunTask));
  const chosen = chosenOf({ top: 1, bottom: 2, left: 1, right: 2 }, tasks, runs, [of(...tasks), of('extract', 'load'), of(...tasks)]);
  expect(chosen.map(({ run, tasks: held }) => [run.id, held.map(({ task }) => task.name)])).toEqual([
    ['b', ['load']],
    ['c', ['clean', 'load']],
  ]);
});

test('runs stand by their dates, and those that were run again by when they were', () => {
  const made = (id: string, created_at: string, more: Partial<Run> = {}) => ({ id, created_at, ...more }) as Run;
  const mixed = [
    made('again', '2026-11-09T00:00:00Z', { fire_at: '2026-11-01T00:00:00Z', rerun_of: 'first' }),
    made('second', '2026-11-08T00:00:00Z', { fire_at: '2026-11-02T00:00:00Z' }),
    made('first', '2026-11-08T00:00:01Z', { fire_at: '2026-11-01T00:00:00Z' }),
    made('by hand', '2026-11-07T00:00:00Z'),
  ];
  expect(byTime(mixed).map(({ id }) => id)).toEqual(['first', 'second', 'by hand', 'again']);
});

test('dates go from the first fire time to the last, in whichever order the runs were made', () => {
  const chosen = [runs[2], runs[0], { id: 'by hand' }].map((run) => ({ run: run as Run, tasks: [] }));
  expect(datesOf(chosen)).toEqual({ from: '2026-11-01T02:00:00Z', to: '2026-11-03T02:00:00Z' });
  expect(datesOf(chosen.slice(2))).toBeUndefined();
});

test('a backfill of some tasks leaves the others as they are', () => {
  expect(partOf(['b', 'c'], ['a', 'b', 'c'])).toEqual({ reprocess: 'tasks', tasks: 'b,c' });
  expect(partOf(['a', 'b', 'c'], ['a', 'b', 'c'])).toEqual({ reprocess: 'all' });
});
