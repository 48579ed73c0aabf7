import { queryOptions } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from '@/api/client';
import type { components } from '@/api/schema';
import { type Command, fillPath } from '@/lib/commands';

export type GlueVersion = components['schemas']['XxlGlueVersion'];
export type Language = components['schemas']['XxlLanguage'];

/** A script as a version of its job has it. */
export interface Stored {
  source: string;
  language: Language;
  /** The version of the job, for a save. */
  version: number;
}

const GLUE = '/api/v1/namespaces/{namespace}/jobs/{job}/glue';

/** The versions of a job's script, without their sources, newest first. */
export const glueVersionsQuery = (namespace: string, job: string) =>
  queryOptions({
    queryKey: ['glue', namespace, job],
    queryFn: ({ signal }) => ask(api.GET(GLUE, { params: { path: { namespace, job } }, signal })),
    meta: { topics: [`job:${namespace}/${job}`, 'jobs'], every: 5000 },
  });

/** One version with its source. Versions may be numbered anew: the stamp of the script tells what a number means. */
export const glueVersionQuery = (namespace: string, job: string, { version, glue_updatetime }: Pick<GlueVersion, 'version' | 'glue_updatetime'>) =>
  queryOptions({
    queryKey: ['glue-version', namespace, job, version, glue_updatetime],
    queryFn: ({ signal }) => ask(api.GET(`${GLUE}/{version}`, { params: { path: { namespace, job, version } }, signal })),
  });

/** What a save of a job's script asks for: nobody has saved the job since that version. */
const since = (version: number) => ({ 'Idempotency-Key': idempotencyKey(), 'If-Match': `"${version}"` });

/** Saves a script in place of the one that the job has at a version. */
export function saveGlue(namespace: string, job: string, { source, language, version }: Stored, remark: string): Promise<GlueVersion> {
  return ask(api.POST(GLUE, { params: { path: { namespace, job }, header: since(version) }, body: { source, language, ...(remark === '' ? {} : { remark }) } }));
}

/** Goes back to a version of the script, from the one that the job has at a version. */
export function rollBack(namespace: string, job: string, { version, glue_updatetime }: Pick<GlueVersion, 'version' | 'glue_updatetime'>, from: number, remark: string): Promise<GlueVersion> {
  return ask(api.POST(`${GLUE}/{version}/rollback`, { params: { path: { namespace, job, version }, header: since(from) }, body: { glue_updatetime, ...(remark === '' ? {} : { remark }) } }));
}

/** A save, for the command line and for curl. */
export function glueCommand(namespace: string, job: string, { source, language }: Stored, remark: string): Command {
  return {
    cli: ['xxl', 'glue', 'set', `${namespace}/${job}`, '-', '--language', language, '--remark', remark],
    stdin: source,
    http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/glue', { namespace, job }), body: { source, language, ...(remark === '' ? {} : { remark }) } },
  };
}
