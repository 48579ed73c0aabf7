/** The wish for a backfill, its months, and how two plans differ. Pure. */
import { dayIn } from '../job/heat';
import type { BackfillPlan, BackfillPlanItem, BackfillSpec } from './queries';

/** What the address of the wizard holds. */
export interface Wish {
  job?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  trigger?: string | undefined;
  timezone?: string | undefined;
  reprocess?: 'missing' | 'failed' | 'all' | 'tasks' | 'failed_tasks' | undefined;
  /** Names of tasks, with commas between them. */
  tasks?: string | undefined;
  downstream?: 'true' | undefined;
  upstream?: 'true' | undefined;
  create_missing?: 'true' | undefined;
  cascade?: 'true' | undefined;
  order?: 'asc' | 'desc' | undefined;
  max_active?: number | undefined;
  priority?: string | undefined;
  stop?: 'true' | undefined;
}

/** Which fire times are run, or which tasks of their runs. Nothing while tasks are to be named and none is. */
function partOf(wish: Wish): Partial<BackfillSpec> | undefined {
  const missing = wish.create_missing ? { create_missing: true } : {};
  if (wish.reprocess === 'failed_tasks') return { failed: true, ...missing };
  if (wish.reprocess !== 'tasks') return { reprocess: wish.reprocess ?? 'missing' };
  const tasks = (wish.tasks ?? '').split(/[\s,]+/).filter((name) => name !== '');
  return tasks.length === 0 ? undefined : { tasks, ...(wish.downstream ? { downstream: true } : {}), ...(wish.upstream ? { upstream: true } : {}), ...missing };
}

/** What is asked of the server; nothing while there is no job or no begin. */
export function specOf(wish: Wish): BackfillSpec | undefined {
  const part = partOf(wish);
  if (!wish.job || !wish.from || !part) return undefined;
  const priority = wish.priority?.trim() ?? '';
  return {
    from: wish.from,
    ...(wish.to ? { to: wish.to } : {}),
    ...(wish.trigger ? { trigger: wish.trigger } : {}),
    ...(wish.timezone ? { timezone: wish.timezone } : {}),
    ...part,
    ...(wish.cascade ? { cascade: true } : {}),
    order: wish.order ?? 'asc',
    ...(wish.max_active ? { max_active: wish.max_active } : {}),
    ...(/^-?\d{1,6}$/.test(priority) ? { priority: Number(priority) } : {}),
    ...(wish.stop ? { stop_on_failure: true } : {}),
  };
}

/** The same for the command line. */
export function cliOf(namespace: string, job: string, spec: BackfillSpec, plan: string | undefined): string[] {
  const option = (name: string, value: string | number | null | undefined) => (value === undefined || value === null ? [] : [`--${name}`, String(value)]);
  return [
    'backfill',
    plan ? 'start' : 'plan',
    job,
    ...option('from', spec.from),
    ...option('to', spec.to),
    ...option('trigger', spec.trigger),
    ...option('timezone', spec.timezone),
    ...option('reprocess', spec.reprocess),
    ...(spec.tasks ?? []).flatMap((task) => ['--task', task]),
    ...(['downstream', 'upstream', 'failed', 'create_missing', 'cascade'] as const).filter((name) => spec[name]).map((name) => `--${name.replace('_', '-')}`),
    ...option('order', spec.order),
    ...option('max-active', spec.max_active),
    ...option('priority', spec.priority),
    ...(spec.stop_on_failure ? ['--stop-on-failure'] : []),
    ...option('plan', plan),
    ...(namespace === 'default' ? [] : ['-n', namespace]),
  ];
}

export interface Month {
  month: string;
  runs: number;
  kept: number;
}

/** Fire times by month, in the zone of the range: those that run, and those that are left alone. */
export function monthsOf(items: readonly BackfillPlanItem[], zone: string): Month[] {
  const dayOf = dayIn(zone);
  const months = new Map<string, Month>();
  for (const { fire_at, action } of items) {
    const name = dayOf(Date.parse(fire_at)).slice(0, 7);
    const month = months.get(name) ?? { month: name, runs: 0, kept: 0 };
    months.set(name, month);
    if (action === 'create' || action === 'rerun') month.runs += 1;
    else month.kept += 1;
  }
  return [...months.values()].sort((a, b) => a.month.localeCompare(b.month));
}

/** Names a fire time of a plan: those of other jobs are there because they depend on it. */
export function keyOf({ job, trigger, fire_at }: BackfillPlanItem): string {
  return job ? `${job} ${trigger ?? ''} ${fire_at}` : fire_at;
}

/** The fire times of which a newer plan says something else, with what the plan before said. */
export function differences(before: BackfillPlan | undefined, after: BackfillPlan): ReadonlyMap<string, string | undefined> {
  if (!before || before.hash === after.hash) return new Map();
  const known = new Map(before.items.map((item) => [keyOf(item), item.action]));
  const now = new Map(after.items.map((item) => [keyOf(item), item.action]));
  return new Map([...new Set([...known.keys(), ...now.keys()])].filter((at) => known.get(at) !== now.get(at)).map((at) => [at, known.get(at)]));
}

/** Fire times that run, with those that depend on them. */
export function runsOf({ actions, below }: Pick<BackfillPlan, 'actions' | 'below'>): number {
  return actions.create + actions.rerun + (below ? below.create + below.rerun : 0);
}
