/** States of tasks in the words of the API, as the console shows them. */
import { type State, asState } from '@/states';

export interface TaskStatus {
  state: State;
  /** Its own word, where the state has another one elsewhere. */
  word: 'upstream_failed' | 'ready' | undefined;
  /** The newest run of the task. */
  run?: string | undefined;
  /** Why it stands there. */
  reason?: string | undefined;
  startedAt?: string | undefined;
  endedAt?: string | undefined;
}

export function statusOf(state: string): Pick<TaskStatus, 'state' | 'word'> {
  if (state === 'upstream_failed') return { state: 'skipped', word: 'upstream_failed' };
  if (state === 'ready') return { state: 'queued', word: 'ready' };
  return { state: asState(state), word: undefined };
}
