import { queryOptions } from '@tanstack/react-query';
import { api, ask, idempotencyKey, send } from '@/api/client';
import type { components } from '@/api/schema';
import { fillPath } from '@/lib/commands';
import { withGroups } from './groups';

export type RunTask = components['schemas']['RunTask'];
export type TaskCounts = components['schemas']['TaskCounts'];

const PAGE = 1000;
/** Tasks that are shown of one run: more are none that anybody looks at. */
const TASKS_MAX = 20_000;

/** All tasks of a workflow run, or the items of one. */
export async function fetchTasks(run: string, itemsOf: string | undefined, signal: AbortSignal): Promise<RunTask[]> {
  const tasks: RunTask[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: PAGE, ...(itemsOf ? { items_of: itemsOf } : {}), ...(cursor ? { cursor } : {}) };
    const page = await ask(api.GET('/api/v1/runs/{run}/tasks', { params: { path: { run }, query }, signal }));
    tasks.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && tasks.length < TASKS_MAX);
  return tasks;
}

export const tasksQuery = (run: string) =>
  queryOptions({
    queryKey: ['tasks', run],
    queryFn: ({ signal }) => fetchTasks(run, undefined, signal),
    meta: { topics: [`run:${run}`], every: 500 },
  });

export const itemsQuery = (run: string, task: string) =>
  queryOptions({
    queryKey: ['task-items', run, task],
    queryFn: ({ signal }) => fetchTasks(run, task, signal),
    meta: { topics: [`run:${run}`], every: 1000 },
  });

/** A task with why it stands where it does. */
export const taskQuery = (run: string, task: string) =>
  queryOptions({
    queryKey: ['task', run, task],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/runs/{run}/tasks/{task}', { params: { path: { run, task } }, signal })),
    meta: { topics: [`run:${run}`], every: 1000 },
  });

/** The tasks as the version of the job that runs has them; nothing where that version is gone. */
export const definedTasksQuery = (namespace: string, job: string, version: number) =>
  queryOptions({
    queryKey: ['defined-tasks', namespace, job, version],
    queryFn: async ({ signal }) => {
      const { spec } = await ask(api.GET('/api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}', { params: { path: { namespace, job, version } }, signal }));
      return withGroups(spec.tasks ?? {}, spec.groups);
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type TaskVerb = 'cancel' | 'branch' | 'skip' | 'approve' | 'reject' | 'succeeded' | 'failed';

/** The request that asks something of a task. */
export function requestOf(run: string, task: string, verb: TaskVerb): { path: string; body: object } {
  const path = (word: string) => fillPath(`/api/v1/runs/{run}/tasks/{task}/${word}`, { run, task });
  if (verb === 'succeeded' || verb === 'failed') return { path: path('mark'), body: { state: verb } };
  if (verb === 'branch') return { path: path('cancel'), body: { downstream: true } };
  return { path: path(verb), body: {} };
}

/** Asks something of a task. */
export async function steerTask(run: string, task: string, verb: TaskVerb, reason: string, by = ''): Promise<void> {
  const { path, body: asked } = requestOf(run, task, verb);
  const body = JSON.stringify({ ...asked, ...(reason === '' ? {} : { reason }), ...(by === '' ? {} : { by }) });
  await send({ method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey() } });
}
