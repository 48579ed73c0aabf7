/** How a worker stands, from what the server knows of it. Pure. */
import type { Worker } from './queries';

/** A worker renews every two seconds or so: one that was not heard for this long may be gone. */
export const SILENT_MS = 20_000;

/** A clock that is off by more than this is worth a look, as for nodes of the cluster. */
export const CLOCK_WARN_MS = 500;

export type Standing = 'ready' | 'full' | 'draining' | 'drained' | 'silent' | 'gone';

/** `full` has no free slot, `draining` takes nothing new and `drained` has nothing left, `silent` was not heard for a while, `gone` has left, or was reaped. */
export function standingOf(worker: Pick<Worker, 'slots' | 'running' | 'heard_at' | 'draining'> | undefined, now: number): Standing {
  if (!worker) return 'gone';
  if (now - Date.parse(worker.heard_at) > SILENT_MS) return 'silent';
  if (worker.draining) return worker.running > 0 ? 'draining' : 'drained';
  return worker.running >= worker.slots ? 'full' : 'ready';
}

/** Processes of one name, the newest first: for a while after a restart there may be two. */
export function named(workers: readonly Worker[], name: string): Worker[] {
  return workers.filter((worker) => worker.name === name).sort((a, b) => Date.parse(b.joined_at) - Date.parse(a.joined_at));
}
