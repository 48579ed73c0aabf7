import { expect, test } from 'vitest';
import { type RerunPlan, type RerunTask, cliOf, differences, requestOf } from './rerun';

const choice = { which: 'tasks', tasks: new Set(['load', 'clean']), downstream: true, upstream: false, version: 'pinned', cancelRunning: false } as const;
const task = (name: string, action: RerunTask['action'], state: RerunTask['state'] = 'failed'): RerunTask => ({ name, action, state, reason: 'chosen' });
const plan = (hash: string, tasks: RerunTask[]) => ({ plan: hash, tasks }) as RerunPlan;

test('a choice becomes a request', () => {
  expect(requestOf(choice)).toEqual({ tasks: ['clean', 'load'], downstream: true });
  expect(requestOf({ ...choice, tasks: new Set() })).toBeUndefined();
  expect(requestOf({ ...choice, which: 'failed', version: 'latest' })).toEqual({ failed: true, version: 'latest' });
  expect(requestOf({ ...choice, which: 'all' })).toEqual({});
  expect(requestOf({ ...choice, which: 'all', cancelRunning: true })).toEqual({ cancel_running: true });
});

test('the command line says the same', () => {
  expect(cliOf('r1', requestOf(choice) ?? {}, 'abc')).toEqual(['run', 'rerun', 'r1', '--task', 'clean', '--task', 'load', '--downstream', '--apply', 'abc']);
  expect(cliOf('r1', { failed: true, cancel_running: true }, 'abc')).toEqual(['run', 'rerun', 'r1', '--failed', '--cancel-running', '--apply', 'abc']);
  expect(cliOf('r1', { failed: true }, undefined)).toEqual(['run', 'rerun', 'r1', '--failed', '--dry-run']);
  expect(cliOf('r1', { failed: true }, 'abc', true)).toEqual(['run', 'rerun', 'r1', '--cascade', '--failed', '--apply', 'abc']);
});

test('plans differ where a task has another fate', () => {
  const before = plan('a', [task('load', 'rerun'), task('old', 'keep')]);
  const after = plan('b', [task('load', 'keep', 'succeeded'), task('new', 'rerun')]);
  expect([...differences(before, after).keys()].sort()).toEqual(['load', 'new', 'old']);
  expect(differences(before, before).size).toBe(0);
  expect(differences(undefined, after).size).toBe(0);
});
