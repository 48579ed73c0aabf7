import { expect, test } from 'vitest';
import { type Approval, matching } from './queries';

const approval = (prompt: string, job: string, from: string[] = []): Approval => ({ namespace: 'default', job, run: '019', task: 'gate', prompt, from, since: '2026-01-01T00:00:00Z' });

test('approvals are found by what is asked, job, run and who decides', () => {
  const all = [approval('Deploy to production?', 'release'), approval('Pay?', 'bills', ['ann'])];
  expect(matching(all, ' PROD ')).toEqual([all[0]]);
  expect(matching(all, 'bills')).toEqual([all[1]]);
  expect(matching(all, 'ann')).toEqual([all[1]]);
  expect(matching(all, '')).toEqual(all);
  expect(matching(all, 'none')).toEqual([]);
});
