export const match = {
  title: 'Who could run it',
  text: 'Which servers and workers could take its next run, and why the others could not.',
  show: 'Ask',
  hide: 'Hide',
  count: (now: string, all: string) => `${now} of ${all} could take a run now.`,
  fits: { now: 'now', later: 'later', no: 'no', unknown: 'not known' },
  worker: 'worker',
  server: 'server',
};
