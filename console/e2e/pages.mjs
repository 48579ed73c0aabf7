// Every page, by its address. `seen` is what `fill` of server.mjs made.
export function pages(seen) {
  return [
    '/ns/default',
    '/ns/default/jobs',
    '/ns/default/jobs?q=team%20colour:red',
    '/ns/default/jobs/new',
    '/ns/default/jobs/nightly-report/edit?mode=yaml',
    '/ns/default/jobs/nightly-report',
    '/ns/default/jobs/nightly-report?tab=calendar',
    '/ns/default/jobs/none-such',
    '/ns/default/runs',
    `/ns/default/runs/${seen.failed}`,
    `/ns/default/runs/${seen.big}?tab=data`,
    `/ns/default/runs/${seen.flow}?task=load`,
    `/ns/default/runs/${seen.flow}?view=gantt`,
    '/ns/default/jobs/etl-flow?tab=tasks&view=grid',
    '/ns/default/approvals',
    '/ns/default/queues',
    '/ns/default/workers',
    '/ns/default/calendars',
    '/ns/default/misfires',
    '/cluster',
    '/operations',
    '/webhooks',
    '/settings',
    '/no/such/page',
  ];
}
