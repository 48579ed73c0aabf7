import { expect, test } from 'vitest';
import { toggled } from '@/lib/toggled';
import { groupByOf, headsOf } from './groups';

test('an address names a field or a label, and nothing else groups', () => {
  expect(groupByOf('owner')).toEqual({ field: 'owner', label: '' });
  expect(groupByOf('label:team')).toEqual({ field: 'label', label: 'team' });
  for (const other of [undefined, '', 'label', 'label:', 'status', 'zone']) expect(groupByOf(other)).toBeUndefined();
});

test('each group has the query that finds its jobs, within the query of the list', () => {
  const counted = { values: [{ value: 'team=web ops', count: 3 }, { value: 'team=' }, { value: 'team=~' }], without: 2, complete: true };
  expect(headsOf({ field: 'label', label: 'team' }, 'state:paused', counted)).toEqual([
    { value: 'web ops', count: 3, key: 'web%20ops', q: 'state:paused label:"team=web ops"' },
    { value: '', count: 0, key: '%', q: 'state:paused label:team=' },
    { value: '~', count: 0, key: '%7E', q: 'state:paused label:team=~' },
    { value: undefined, count: 2, key: '~', q: 'state:paused -label:team' },
  ]);
  expect(headsOf({ field: 'owner', label: '' }, '', { values: [], without: 1, complete: true })).toEqual([{ value: undefined, count: 1, key: '~', q: '-owner:*' }]);
  expect(headsOf({ field: 'queue', label: '' }, '', { values: [], without: 0, complete: true })).toEqual([]);
});

test('each job stands under one state, those that want a look first', () => {
  const counted = { values: [{ value: 'enabled', count: 9 }, { value: 'paused', count: 3 }, { value: 'failing', count: 1 }], without: 0, complete: true };
  expect(headsOf({ field: 'state', label: '' }, 'owner:ana', counted)).toEqual([
    { value: 'failing', count: 1, key: 'failing', q: 'owner:ana state:failing -state:paused' },
    { value: 'paused', count: 3, key: 'paused', q: 'owner:ana state:paused' },
    { value: 'enabled', count: 9, key: 'enabled', q: 'owner:ana state:enabled -state:paused,failing,running,never' },
  ]);
});

test('a group opens and closes', () => {
  expect(toggled([], 'a')).toEqual(['a']);
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['a'], 'a')).toBeUndefined();
});
