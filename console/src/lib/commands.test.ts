import { expect, test } from 'vitest';
import { type Command, asText } from './commands';

test('what takes several commands is copied whole, a line for each', () => {
  const mark = (task: string): Command => ({ cli: ['run', 'mark', '01R', task, 'failed'], http: { method: 'POST', path: `/api/v1/runs/01R/tasks/${task}/mark`, body: { state: 'failed' } } });
  expect(asText([mark('load'), mark('a b')], 'cli')).toBe("mainspring run mark 01R load failed\nmainspring run mark 01R 'a b' failed");
  expect(asText([mark('load'), mark('clean')], 'curl').split('\n')).toHaveLength(2);
  expect(asText({ http: mark('load').http }, 'cli')).toBe('');
  expect(asText([], 'curl')).toBe('');
});
