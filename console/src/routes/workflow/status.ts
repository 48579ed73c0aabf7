/** States of tasks in the words of the API, as the console shows them. */
import { instant } from '@/lib/time';
import { type State, asState } from '@/states';
import type { RunTask, TaskCounts } from './queries';

export interface TaskStatus {
  state: State;
  /** Its own word, where the state has another one elsewhere. */
  word: 'upstream_failed' | 'ready' | undefined;
  task: RunTask;
}

export function statusOf(task: RunTask): TaskStatus {
  const { state } = task;
  if (state === 'upstream_failed') return { state: 'skipped', word: 'upstream_failed', task };
  if (state === 'ready') return { state: 'queued', word: 'ready', task };
  return { state: task.run_state === 'queued' && state === 'running' ? 'queued' : asState(state), word: undefined, task };
}

export function statusesOf(tasks: readonly RunTask[]): Map<string, TaskStatus> {
  return new Map(tasks.map((task) => [task.name, statusOf(task)]));
}

/** How far the items of a task are: `3/4`, with the failed ones named. */
export function progressOf(items: TaskCounts | null | undefined): { done: number; failed: number; total: number } | undefined {
  if (!items) return undefined;
  const done = (items.succeeded ?? 0) + (items.skipped ?? 0) + (items.cancelled ?? 0) + (items.upstream_failed ?? 0);
  return { done: done + (items.failed ?? 0), failed: items.failed ?? 0, total: items.total };
}

export interface Span {
  name: string;
  status: TaskStatus;
  /** Parts of the whole, 0 to 1. */
  from: number;
  to: number;
}

/** Tasks that have started, over the time of the run, in the order in which they did. */
export function spansOf(statuses: ReadonlyMap<string, TaskStatus>, begin: number, end: number): Span[] {
  const length = Math.max(1, end - begin);
  const part = (at: number) => Math.min(1, Math.max(0, (at - begin) / length));
  return [...statuses]
    .flatMap(([name, status]): Span[] => {
      const started = instant(status.task.started_at ?? (status.task.items ? status.task.since : undefined));
      if (!Number.isFinite(started)) return [];
      const ended = instant(status.task.ended_at);
      return [{ name, status, from: part(started), to: part(Number.isFinite(ended) ? ended : end) }];
    })
    .sort((a, b) => a.from - b.from || a.to - b.to);
}
