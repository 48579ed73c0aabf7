import { many } from './many';

const did = (word: string) => (jobs: string) => `${word} ${jobs}`;

export const operations = {
  action: 'What',
  state: 'State',
  progress: 'Progress',
  started: 'Began',
  took: 'Took',
  id: 'Id',
  error: 'What was wrong',
  all: 'All operations',
  cancel: 'Cancel the operation',
  cancelling: 'cancelling',
  failed: (n: string) => `${n} failed`,
  errors: (n: string, shown: string) => (n === shown ? `${many(n, 'job')} failed` : `${n} jobs failed; the first ${shown}`),
  emptyText: 'What is done to many jobs at once is listed here for a week. Choose jobs in the list of jobs to begin.',
  actions: { pause: 'Pause', resume: 'Resume', run: 'Run', cancel: 'Cancel runs', delete: 'Delete', label: 'Label', rerun: 'Run again' },
  doing: { pause: did('Pausing'), resume: did('Resuming'), run: did('Starting'), cancel: did('Cancelling runs of'), delete: did('Deleting'), label: did('Labelling'), rerun: did('Running again:') },
  did: { pause: did('Paused'), resume: did('Resumed'), run: did('Started'), cancel: did('Cancelled runs of'), delete: did('Deleted'), label: did('Labelled'), rerun: did('Ran again:') },
  by: 'By',
  runCount: (n: number, count: string) => (n === 1 ? '1 run' : `${count} runs`),
  states: { planned: 'planned', running: 'running', done: 'done', cancelled: 'cancelled', interrupted: 'interrupted: its node stopped', unknown: 'unknown' },
};
