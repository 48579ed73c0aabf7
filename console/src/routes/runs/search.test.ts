import { expect, it } from 'vitest';
import { fresh, patched, statesOf, withStates } from './search';

it('changes the states of a search and nothing else', () => {
  expect(statesOf('job:x state:failed,cancelled')).toEqual(['failed', 'cancelled']);
  expect(withStates('job:x state:failed  late', ['running'])).toBe('state:running job:x late');
  expect(withStates('state:failed', [])).toBe('');
  expect(statesOf('substate:failed')).toEqual([]);
});

it('counts rows that came since, and moves none', () => {
  const shown = [{ id: 'b', state: 'running' }, { id: 'a', state: 'running' }];
  const head = [{ id: 'c', state: 'running' }, { id: 'b', state: 'failed' }];
  expect(fresh(shown, head)).toEqual(['c']);
  expect(patched(shown, head)).toEqual([{ id: 'b', state: 'failed' }, { id: 'a', state: 'running' }]);
});
