import { expect, it } from 'vitest';
import type { Run } from '../runs/queries';
import { figuresOf, percentile, exactParam, readParam } from './figures';
import { anchorOf } from './queries';

const at = (ms: number) => new Date(Date.UTC(2026, 10, 25, 9) + ms).toISOString();
const run = (state: string, took: number | undefined, late = 0) => ({ state, started_at: at(0), ended_at: took === undefined ? null : at(took), lateness_ms: late }) as Run;

it('counts what is over and leaves out what was skipped', () => {
  expect(figuresOf([run('succeeded', 100), run('failed', 300, 7), run('running', undefined), run('skipped', 0)])).toEqual({
    over: 2,
    succeeded: 1,
    p50: 100,
    p95: 300,
    lateMax: 7,
  });
});

it('has no figures without runs', () => {
  expect(figuresOf([])).toEqual({ over: 0, succeeded: 0 });
});

it('takes the nearest rank', () => {
  expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
  expect(percentile([], 0.5)).toBeUndefined();
});

it('reads parameters by their type, and text as it is typed', () => {
  expect(readParam('integer', ' 12 ')).toBe(12);
  expect(readParam(undefined, '1.10')).toBe('1.10');
  expect(readParam('boolean', 'false')).toBe(false);
  for (const [type, typed] of [['integer', '1.5'], ['number', ''], ['number', 'x'], ['boolean', 'yes']]) expect(() => readParam(type, typed ?? '')).toThrow(type);
});

it('hands on whole numbers with every digit', () => {
  expect(exactParam('integer', ' +9007199254740993 ')).toBe('9007199254740993');
  expect(exactParam('integer', '-007')).toBe('-7');
  expect(exactParam('string', '1')).toBe('"1"');
  expect(exactParam('boolean', 'true')).toBe('true');
});

it('counts intervals from the next fire, where nobody said from when', () => {
  const trigger = { kind: 'every', spec: { every: '10s', repeat_count: 9 }, next_fire_at: at(0), times_triggered: 4 } as const;
  expect(anchorOf(trigger)).toEqual({ start_at: at(0), repeat_count: 5 });
  expect(anchorOf({ ...trigger, spec: { every: '10s', start_at: at(5) } })).toEqual({});
  expect(anchorOf({ ...trigger, kind: 'cron' })).toEqual({});
});
