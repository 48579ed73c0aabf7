/** Running a workflow run again: what is asked for, and how two plans differ. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Rerun = components['schemas']['Rerun'];
export type RerunPlan = components['schemas']['RerunPlan'];
export type RerunTask = components['schemas']['RerunTask'];
export type BackfillPlanItem = components['schemas']['BackfillPlanItem'];

/** Which tasks: all, those that failed, those that are missing, or chosen ones. */
export type Which = 'failed' | 'tasks' | 'missing' | 'all';

export interface Choice {
  which: Which;
  tasks: ReadonlySet<string>;
  downstream: boolean;
  upstream: boolean;
  version: 'pinned' | 'latest';
  cancelRunning?: boolean;
  /** Whether what depends on the date of the run in other workflows runs, too. */
  cascade?: boolean;
}

/** The request for a choice; nothing while no task is chosen. */
export function requestOf({ which, tasks, downstream, upstream, version, cancelRunning }: Choice): Rerun | undefined {
  const newest = { ...(version === 'latest' ? { version } : {}), ...(cancelRunning ? { cancel_running: true } : {}) };
  if (which === 'all') return newest;
  if (which === 'failed') return { failed: true, ...newest };
  if (which === 'missing') return { missing: true, ...newest };
  if (tasks.size === 0) return undefined;
  return { tasks: [...tasks].sort(), ...(downstream ? { downstream } : {}), ...(upstream ? { upstream } : {}), ...newest };
}

/** The same for the command line. */
export function cliOf(run: string, rerun: Rerun, plan: string | undefined, cascade = false): string[] {
  const flags = [cascade && '--cascade', rerun.failed && '--failed', rerun.missing && '--missing', rerun.downstream && '--downstream', rerun.upstream && '--upstream', rerun.cancel_running && '--cancel-running'].filter((flag) => typeof flag === 'string');
  return ['run', 'rerun', run, ...(rerun.tasks ?? []).flatMap((task) => ['--task', task]), ...flags, ...(rerun.version ? ['--version', rerun.version] : []), ...(plan ? ['--apply', plan] : ['--dry-run'])];
}

export const planQuery = (run: string, rerun: Rerun | undefined, cascade = false) =>
  queryOptions({
    queryKey: ['rerun-plan', run, rerun, cascade],
    queryFn: ({ signal }) => ask(api.POST(cascade ? '/api/v1/runs/{run}/rerun/cascade/plan' : '/api/v1/runs/{run}/rerun/plan', { params: { path: { run } }, body: rerun ?? {}, signal })),
    enabled: rerun !== undefined,
    retry: false,
    staleTime: 5000,
  });

/** The tasks of which a newer plan says something else, by name. */
export function differences(before: RerunPlan | undefined, after: RerunPlan): ReadonlyMap<string, RerunTask | undefined> {
  if (!before || before.plan === after.plan) return new Map();
  const known = new Map(before.tasks.map((task) => [task.name, task]));
  const said = (task: RerunTask | undefined) => task && [task.action, task.state, task.reason].join(' ');
  const now = after.tasks.filter((task) => said(known.get(task.name)) !== said(task)).map(({ name }) => [name, known.get(name)] as const);
  const gone = before.tasks.filter(({ name }) => !after.tasks.some((task) => task.name === name)).map((task) => [task.name, task] as const);
  return new Map([...now, ...gone]);
}

/** The name of a date of another workflow. */
export const dateKey = ({ job, trigger, fire_at }: BackfillPlanItem) => `${job ?? ''} ${trigger ?? ''} ${fire_at}`;
