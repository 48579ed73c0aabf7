import { expect, test } from 'vitest';
import { cliOf, differences, keyOf, monthsOf, runsOf, specOf } from './plan';
import type { BackfillPlan, BackfillPlanItem } from './queries';

const items: BackfillPlanItem[] = [
  { fire_at: '2026-07-31T22:30:00Z', action: 'create' },
  { fire_at: '2026-07-30T10:00:00Z', action: 'keep' },
  { fire_at: '2026-08-02T10:00:00Z', action: 'rerun', run: 'r' },
];

test('the address is the wish', () => {
  expect(specOf({ job: 'etl' })).toBeUndefined();
  const spec = specOf({ job: 'etl', from: '2026-07-01', max_active: 4, priority: '-5', stop: 'true' });
  expect(spec).toEqual({ from: '2026-07-01', reprocess: 'missing', order: 'asc', max_active: 4, priority: -5, stop_on_failure: true });
  expect(cliOf('prod', 'etl', spec ?? { from: '' }, 'abc').join(' ')).toBe('backfill start etl --from 2026-07-01 --reprocess missing --order asc --max-active 4 --priority -5 --stop-on-failure --plan abc -n prod');
});

test('tasks of the runs that there are take the place of whole runs', () => {
  expect(specOf({ job: 'etl', from: '2026-07-01', reprocess: 'tasks' })).toBeUndefined();
  const spec = specOf({ job: 'etl', from: '2026-07-01', reprocess: 'tasks', tasks: 'load, clean', downstream: 'true', create_missing: 'true' });
  expect(spec).toEqual({ from: '2026-07-01', tasks: ['load', 'clean'], downstream: true, create_missing: true, order: 'asc' });
  expect(cliOf('default', 'etl', spec ?? { from: '' }, undefined).join(' ')).toBe('backfill plan etl --from 2026-07-01 --task load --task clean --downstream --create-missing --order asc');
  expect(specOf({ job: 'etl', from: '2026-07-01', reprocess: 'failed_tasks' })).toEqual({ from: '2026-07-01', failed: true, order: 'asc' });
});

test('months are those of the zone', () => {
  expect(monthsOf(items, 'Europe/Berlin')).toEqual([
    { month: '2026-07', runs: 0, kept: 1 },
    { month: '2026-08', runs: 2, kept: 0 },
  ]);
});

test('plans differ by fire time', () => {
  const plan = (hash: string, of: BackfillPlanItem[]) => ({ hash, items: of }) as BackfillPlan;
  const after = items.map((item, index) => (index === 0 ? { ...item, action: 'keep' as const } : item)).slice(0, 2);
  expect([...differences(plan('a', items), plan('b', after))]).toEqual([
    ['2026-07-31T22:30:00Z', 'create'],
    ['2026-08-02T10:00:00Z', 'rerun'],
  ]);
  expect(differences(plan('a', items), plan('a', [])).size).toBe(0);
});

test('what depends on a fire time is told apart from it, and counts', () => {
  const spec = specOf({ job: 'etl', from: '2026-07-01', cascade: 'true' });
  expect(spec).toEqual({ from: '2026-07-01', reprocess: 'missing', cascade: true, order: 'asc' });
  expect(cliOf('default', 'etl', spec ?? { from: '' }, undefined).join(' ')).toBe('backfill plan etl --from 2026-07-01 --reprocess missing --cascade --order asc');
  const own: BackfillPlanItem = { fire_at: '2026-07-30T10:00:00Z', action: 'create' };
  const below: BackfillPlanItem = { ...own, level: 1, job: 'report', trigger: 't', why: 'sums needs etl:load@same' };
  expect([keyOf(own), keyOf(below)]).toEqual(['2026-07-30T10:00:00Z', 'report t 2026-07-30T10:00:00Z']);
  const actions = { create: 1, rerun: 0, keep: 2, active: 0, absent: 0 };
  expect(runsOf({ actions, below: { ...actions, rerun: 3 } })).toBe(5);
  const plan = (hash: string, action: BackfillPlanItem['action']) => ({ hash, items: [own, { ...below, action }] }) as BackfillPlan;
  expect([...differences(plan('a', 'create'), plan('b', 'active'))]).toEqual([['report t 2026-07-30T10:00:00Z', 'create']]);
});
