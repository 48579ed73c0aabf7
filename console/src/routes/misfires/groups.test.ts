import { expect, test } from 'vitest';
import { groupsOf } from './groups';

const row = (policy: string, job: string, count: number, namespace = 'a') => ({ policy, job, count, namespace, cause: 'misfire', outcome: 'missed' });

test('misfires stand under their policy, or another word, and their instants are summed up', () => {
  const rows = [row('skip', 'x', 1), row('do_nothing', 'y', 40), row('skip', 'y', 2)];
  expect(groupsOf(rows, 'policy', 'a').map(({ value, instants, rows }) => [value, instants, rows.length])).toEqual([['skip', 3, 2], ['do_nothing', 40, 1]]);
  expect(groupsOf(rows, 'outcome', 'a').map(({ value }) => value)).toEqual(['missed']);
});

test('jobs of the same name in several namespaces are told apart', () => {
  const rows = [row('skip', 'x', 1), row('skip', 'x', 1, 'b')];
  expect(groupsOf(rows, 'job', '-').map(({ value }) => value)).toEqual(['a/x', 'b/x']);
  expect(groupsOf(rows, 'job', 'a').map(({ value }) => value)).toEqual(['x']);
});
