import { expect, test } from 'vitest';
import { readLabels, selectorOf, targetsOf } from './selection';

test('an operation is of one namespace', () => {
  expect(targetsOf(['a/x', 'b/y', 'a/z'])).toEqual([
    { namespace: 'a', names: ['x', 'z'] },
    { namespace: 'b', names: ['y'] },
  ]);
  expect(selectorOf({ namespace: 'a', q: 'state:failing' })).toEqual({ namespace: 'a', q: 'state:failing' });
});

test('labels are set and removed as they are typed', () => {
  expect(readLabels('team=ops, tier= -old\n-legacy')).toEqual({ add: { team: 'ops', tier: '' }, remove: ['old', 'legacy'] });
  expect(() => readLabels('team=ops what')).toThrow('what');
});
