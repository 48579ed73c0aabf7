import type { State } from '@/states';

const words: Record<State, string> = {
  scheduled: 'scheduled',
  queued: 'queued',
  waiting: 'waiting',
  running: 'running',
  retrying: 'retrying',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'cancelled',
  skipped: 'skipped',
  misfired: 'misfired',
  lost: 'lost',
};

export const states = {
  words,
  enabled: 'enabled',
  paused: 'paused',
  failing: 'failing',
  never: 'never run',
};
