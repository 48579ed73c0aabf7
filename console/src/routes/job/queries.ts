import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';
import { fetchRuns } from '../runs/queries';

export type Job = components['schemas']['Job'];
export type JobSpec = components['schemas']['JobSpec'];
export type Trigger = components['schemas']['Trigger'];
export type ParamSpec = components['schemas']['ParamSpec'];

const topics = (ns: string, job: string) => [`job:${ns}/${job}`];

export const jobQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['job', ns, job],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/jobs/{job}', { params: { path: { namespace: ns, job } }, signal })),
    meta: { topics: topics(ns, job), every: 1000 },
  });

export const triggersQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['triggers', ns, job],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/triggers', { params: { path: { namespace: ns }, query: { job, limit: 200 } }, signal })),
    meta: { topics: topics(ns, job), every: 2000 },
  });

export const jobWhyQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['job-why', ns, job],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/jobs/{job}/why', { params: { path: { namespace: ns, job } }, signal })),
    meta: { topics: topics(ns, job), every: 2000 },
  });

/** The newest runs of a job, for its figures. */
export const lastRunsQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['last-runs', ns, job],
    queryFn: ({ signal }) => fetchRuns(ns, { job }, undefined, signal),
    meta: { topics: topics(ns, job), every: 2000 },
  });

/** Fire times to come of one trigger, with those that a calendar leaves out. */
export const firesQuery = (trigger: Trigger, count: number) =>
  queryOptions({
    queryKey: ['fires', trigger.key, trigger.version, trigger.next_fire_at, count],
    queryFn: ({ signal }) => {
      const spec = { ...trigger.spec, timezone: trigger.timezone, calendar: trigger.calendar ?? null, ...anchorOf(trigger) };
      return ask(api.POST('/api/v1/schedules/preview', { body: { trigger: spec, namespace: trigger.namespace, count }, signal }));
    },
    // A pause after the end of a run has no fire times of its own.
    enabled: trigger.kind !== 'delay',
  });

/** Where the count of intervals begins: a trigger without `start_at` counts from when it was saved, which its next fire tells. */
export function anchorOf(trigger: Pick<Trigger, 'kind' | 'spec' | 'next_fire_at' | 'times_triggered'>): { start_at?: string; repeat_count?: number } {
  const counts = trigger.kind === 'every' || trigger.kind === 'calendar_interval';
  if (!counts || trigger.spec.start_at || !trigger.next_fire_at) return {};
  const { repeat_count } = trigger.spec;
  return { start_at: trigger.next_fire_at, ...(typeof repeat_count === 'number' ? { repeat_count: Math.max(0, repeat_count - trigger.times_triggered) } : {}) };
}
