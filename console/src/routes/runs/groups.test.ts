import { expect, test } from 'vitest';
import { bunches } from './groups';

test('runs stand under the values of a field, newest first, with the query that finds them', () => {
  const run = (id: number, job: string, queue = 'default') => ({ id, job, queue, namespace: 'a' });
  const rows = [run(1, 'b'), run(2, 'a', 'q 1'), run(3, 'b')];
  expect(bunches(rows, 'job', 'took>1s')).toEqual([
    { value: 'b', rows: [rows[0], rows[2]], q: 'took>1s job:b' },
    { value: 'a', rows: [rows[1]], q: 'took>1s job:a' },
  ]);
  expect(bunches(rows, 'queue', '').map(({ q }) => q)).toEqual(['queue:default', 'queue:"q 1"']);
  const by = [{ ...run(4, 'a'), worker: 'north' }, { ...run(5, 'a'), node: 'one' }];
  expect(bunches(by, 'worker', 'state:failed').map(({ value, q }) => [value, q])).toEqual([
    ['north', 'state:failed worker:north'],
    [undefined, 'state:failed -worker:*'],
  ]);
  expect(bunches([], 'namespace', '')).toEqual([]);
});
