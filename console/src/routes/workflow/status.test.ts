import { expect, test } from 'vitest';
import type { RunTask } from './queries';
import { progressOf, spansOf, statusOf, statusesOf } from './status';

const task = (name: string, more: Partial<RunTask>): RunTask => ({ name, state: 'waiting', generation: 0, trigger_rule: 'all_success', ...more });

test('states of tasks are shown with the glyphs of runs', () => {
  expect(statusOf(task('a', { state: 'upstream_failed' }))).toMatchObject({ state: 'skipped', word: 'upstream_failed' });
  expect(statusOf(task('a', { state: 'ready' }))).toMatchObject({ state: 'queued', word: 'ready' });
  expect(statusOf(task('a', { state: 'running', run_state: 'queued' })).state).toBe('queued');
  expect(statusOf(task('a', { state: 'running', run_state: 'running' })).state).toBe('running');
});

test('items that ended count, and failed ones are told apart', () => {
  expect(progressOf({ total: 10, succeeded: 3, failed: 1, skipped: 1, running: 2, waiting: 3 })).toEqual({ done: 5, failed: 1, total: 10 });
  expect(progressOf(undefined)).toBeUndefined();
});

test('tasks lie over the time of their run', () => {
  const at = (ms: number) => new Date(1000 + ms).toISOString();
  const statuses = statusesOf([task('late', { state: 'running', started_at: at(50) }), task('first', { state: 'succeeded', started_at: at(0), ended_at: at(25) }), task('never', {})]);
  expect(spansOf(statuses, 1000, 1100).map(({ name, from, to }) => [name, from, to])).toEqual([
    ['first', 0, 0.25],
    ['late', 0.5, 1],
  ]);
});
