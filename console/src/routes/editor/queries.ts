import { queryOptions } from '@tanstack/react-query';
import { api, ask, exactText, send } from '@/api/client';
import type { Problem } from '@/api/problem';
import type { components } from '@/api/schema';
import { fillPath } from '@/lib/commands';
import { member, parseExact, printExact } from '@/lib/json';
import { fromJson } from './document';

export type Preview = components['schemas']['Preview'];

export interface Stored {
  text: string;
  version: number;
}

const JOB = '/api/v1/namespaces/{namespace}/jobs/{job}';

/** The job file as the server holds it. */
export const storedQuery = (namespace: string, job: string) =>
  queryOptions({
    queryKey: ['job-file', namespace, job],
    queryFn: async ({ signal }): Promise<Stored> => {
      const json = parseExact(await exactText(fillPath(JOB, { namespace, job }), signal));
      const spec = member(json, 'spec');
      const version = member(json, 'version');
      return { text: fromJson(spec ? printExact(spec) : '{}'), version: version?.kind === 'number' ? Number(version.text) : 0 };
    },
    // What is edited does not change under the editor: the save says when somebody else was faster.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export const previewQuery = (namespace: string, trigger: Record<string, unknown>, count: number) =>
  queryOptions({
    queryKey: ['preview', namespace, trigger, count],
    queryFn: ({ signal }) => ask(api.POST('/api/v1/schedules/preview', { body: { namespace, count, trigger } as never, signal })),
    retry: false,
    staleTime: 10_000,
  });

export interface SaveOptions {
  namespace: string;
  job: string;
  /** The body: JSON as text, so that no number loses digits. */
  json: string;
  /** Version that this replaces; 0 for a job that is new. */
  version: number | undefined;
  dryRun: boolean;
  signal?: AbortSignal;
}

export interface Saved {
  version: number;
  warnings: Problem[];
}

/** Saves a job, or has it checked. */
export async function putJob({ namespace, job, json, version, dryRun, signal }: SaveOptions): Promise<Saved> {
  const headers: Record<string, string> = {};
  if (version === 0) headers['if-none-match'] = '*';
  else if (version !== undefined) headers['if-match'] = `"${version}"`;
  const text = await send({ method: 'PUT', path: fillPath(JOB, { namespace, job }) + (dryRun ? '?dry_run=true' : ''), body: json, headers, signal });
  const saved = JSON.parse(text) as Partial<Saved>;
  return { version: saved.version ?? 0, warnings: saved.warnings ?? [] };
}
