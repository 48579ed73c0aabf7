import { expect, test } from 'vitest';
import type { Worker } from './queries';
import { runsOf } from './queries';
import { named, standingOf } from './standing';

const now = Date.parse('2026-11-28T06:00:00Z');
const worker = (more: Partial<Worker>): Worker => ({ id: '1', name: 'app-3', queues: ['default'], slots: 3, running: 0, joined_at: '2026-11-28T05:00:00Z', heard_at: '2026-11-28T05:59:58Z', ...more });

test('a worker that was not heard is silent, whatever its slots say', () => {
  expect(standingOf(worker({}), now)).toBe('ready');
  expect(standingOf(worker({ running: 3 }), now)).toBe('full');
  expect(standingOf(worker({ running: 3, heard_at: '2026-11-28T05:59:30Z' }), now)).toBe('silent');
  // The server's clock may be ahead of what it told last.
  expect(standingOf(worker({ heard_at: '2026-11-28T06:00:03Z' }), now)).toBe('ready');
  expect(standingOf(worker({ draining: true, running: 3 }), now)).toBe('draining');
  expect(standingOf(worker({ draining: true }), now)).toBe('drained');
  expect(standingOf(worker({ draining: true, heard_at: '2026-11-28T05:59:30Z' }), now)).toBe('silent');
  expect(standingOf(undefined, now)).toBe('gone');
});

test('the newest process of a name comes first', () => {
  const list = [worker({ id: 'old' }), worker({ id: 'other', name: 'b' }), worker({ id: 'new', joined_at: '2026-11-28T05:30:00Z' })];
  expect(named(list, 'app-3').map(({ id }) => id)).toEqual(['new', 'old']);
});

test('the runs of a worker are looked for by its whole name', () => {
  expect(runsOf('app-3')).toBe('worker:app-3');
  expect(runsOf('a b')).toBe('worker:"a b"');
});
