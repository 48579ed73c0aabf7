import { expect, it } from 'vitest';
import { groupsOf } from './groups';

it('shows the binding that a press would run', () => {
  const bind = (keys: string, label: string, group: string) => ({ keys, label, group, run: () => undefined });
  const groups = groupsOf([bind('/', 'search the page', 'page'), bind('?', 'help', 'everywhere'), bind('/', 'find in the log', 'log')]);
  expect(groups.map(([group, keys]) => [group, keys.map(({ label }) => label)])).toEqual([
    ['log', ['find in the log']],
    ['everywhere', ['help']],
  ]);
});
