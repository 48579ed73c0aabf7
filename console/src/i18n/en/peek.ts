/** What a row of a list is in short, beside the list. */
export const peek = {
  label: (name: string) => `${name}, in short`,
  close: 'Close the panel',
  open: 'Show in short',
  above: 'The row above',
  below: 'The row below',
  lastRuns: 'Last runs',
  lastFailure: 'Last failure',
  noFailure: (n: number) => (n === 1 ? 'The last run did not fail.' : `None of the last ${n} runs failed.`),
  openLog: 'Open the failing log',
  nextFire: 'Next fire',
  logEnd: 'End of the log',
  noLog: 'It has written nothing.',
  errorLine: (line: string) => `First error, line ${line}`,
  pausedBecause: (reason: string) => `Paused: ${reason}`,
};
