import { expect, it } from 'vitest';
import type { Attempt, Run } from './queries';
import { barsOf, stepsOf } from './times';

const at = (ms: number) => new Date(Date.UTC(2026, 10, 25, 9) + ms).toISOString();
const run = { due_at: at(0), created_at: at(2), started_at: at(41), ended_at: at(1041) } as Run;
const attempt = (from: number, started: number | undefined, to: number | undefined) =>
  ({ number: 1, state: 'failed', claimed_at: at(from), started_at: started === undefined ? null : at(started), ended_at: to === undefined ? null : at(to) }) as Attempt;

it('says how long each step took', () => {
  expect(stepsOf(run, [attempt(6, 41, 1041)]).map(({ id, since }) => [id, since])).toEqual([
    ['due', undefined],
    ['claimed', 6],
    ['started', 35],
    ['ended', 1000],
  ]);
});

it('begins with the record where there is no fire time', () => {
  expect(stepsOf({ created_at: at(2) } as Run, []).map(({ id }) => id)).toEqual(['created']);
});

it('shows clocks that differ as a negative span', () => {
  expect(stepsOf({ ...run, started_at: at(3) }, [attempt(6, 3, 10)])[2]?.since).toBe(-3);
});

it('lays attempts one after the other, with the pause before each', () => {
  const { bars } = barsOf({ ...run, ended_at: at(1000) }, [attempt(0, 0, 200), attempt(500, 600, 1000)], 0);
  expect(bars[0]?.work).toEqual([0, 0.2]);
  expect(bars[1]?.wait).toEqual([0.2, 0.6]);
  expect(bars[1]?.work).toEqual([0.6, 1]);
});

it('draws an attempt that never began as waiting', () => {
  expect(barsOf(run, [attempt(0, undefined, 500)], 0).bars[0]?.work).toBeUndefined();
});
