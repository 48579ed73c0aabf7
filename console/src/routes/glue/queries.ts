import { queryOptions } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from '@/api/client';
import type { components } from '@/api/schema';

export type GlueVersion = components['schemas']['XxlGlueVersion'];
export type Language = components['schemas']['XxlLanguage'];

const GLUE = '/api/v1/namespaces/{namespace}/jobs/{job}/glue';

/** The versions of a job's script, without their sources, newest first. */
export const glueVersionsQuery = (namespace: string, job: string) =>
  queryOptions({
    queryKey: ['glue', namespace, job],
    queryFn: ({ signal }) => ask(api.GET(GLUE, { params: { path: { namespace, job } }, signal })),
    meta: { topics: [`job:${namespace}/${job}`, 'jobs'], every: 5000 },
  });

/** One version with its source, which never changes. */
export const glueVersionQuery = (namespace: string, job: string, version: number) =>
  queryOptions({
    queryKey: ['glue-version', namespace, job, version],
    queryFn: ({ signal }) => ask(api.GET(`${GLUE}/{version}`, { params: { path: { namespace, job, version } }, signal })),
  });

export function saveGlue(namespace: string, job: string, source: string, language: Language, remark: string): Promise<GlueVersion> {
  return ask(api.POST(GLUE, { params: { path: { namespace, job }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { source, language, ...(remark === '' ? {} : { remark }) } }));
}

export function rollBack(namespace: string, job: string, version: number, remark: string): Promise<GlueVersion> {
  return ask(api.POST(`${GLUE}/{version}/rollback`, { params: { path: { namespace, job, version }, header: { 'Idempotency-Key': idempotencyKey() } }, body: remark === '' ? {} : { remark } }));
}
