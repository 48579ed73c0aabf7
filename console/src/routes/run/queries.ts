import { queryOptions } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import type { components } from '@/api/schema';
import { logPath } from './log/useLog';
import type { LogError } from './log/types';

export type Run = components['schemas']['Run'];
export type Attempt = components['schemas']['Attempt'];

export const runQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/runs/{run}', { params: { path: { run } }, signal })),
    meta: { topics: [`run:${run}`], every: 300 },
  });

export const attemptsQuery = (run: string) =>
  queryOptions({
    queryKey: ['attempts', run],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/runs/{run}/attempts', { params: { path: { run } }, signal })),
    meta: { topics: [`run:${run}`], every: 300 },
  });

export const whyQuery = (run: string) =>
  queryOptions({
    queryKey: ['why', run],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/runs/{run}/why', { params: { path: { run } }, signal })),
    meta: { topics: [`run:${run}`, 'queues', 'workers'], every: 1000 },
  });

/** The first error of an attempt. */
export const errorQuery = (run: string, attempt: number | undefined) =>
  queryOptions({
    queryKey: ['log-error', run, attempt],
    queryFn: ({ signal }) => raw<LogError>('GET', logPath(run, { attempt }, '/errors'), undefined, signal),
    meta: { topics: [`run:${run}`], every: 2000 },
  });
