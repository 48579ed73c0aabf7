import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Problem, asApiError } from '@/api/problem';
import { useT } from '@/i18n';
import type { Mark } from './YamlEditor';
import { type Parsed, parse, place, toJson } from './document';
import { putJob } from './queries';
import { useSettled } from './SchedulePreview';

export interface Checks {
  parsed: Parsed;
  /** Name of the job in the file. */
  name: string;
  busy: boolean;
  problems: Problem[];
  warnings: Problem[];
  marks: Mark[];
  /** Messages by JSON pointer, for the form. */
  byPointer: ReadonlyMap<string, string>;
  isValid: boolean;
  /** The server could not be asked. */
  failure: string | undefined;
}

const WAIT_MS = 400;

/** What the server finds in a text. */
export interface Found {
  problems: Problem[];
  warnings: Problem[];
}

/** Asks the server about a job: the same checks as saving makes. */
async function checkJob(namespace: string, name: string, json: string, signal: AbortSignal): Promise<Found> {
  try {
    const saved = await putJob({ namespace, job: name, json, version: undefined, dryRun: true, signal });
    return { problems: [], warnings: saved.warnings };
  } catch (error) {
    return refused(error);
  }
}

/** What a refusal says is wrong with a text; a failure of another kind stays one. */
export function refused(error: unknown): Found {
  const problem = asApiError(error);
  if (problem.status !== 422 && problem.status !== 400) throw problem;
  const whole: Problem = { code: problem.code, message: problem.message, pointer: '', hint: problem.hint ?? null };
  return { problems: problem.errors.length > 0 ? problem.errors : [whole], warnings: [] };
}

/** Which kind of file a text is: the key that holds its name, and who checks it. */
export interface FileKind {
  key: string;
  check: (namespace: string, name: string, json: string, signal: AbortSignal) => Promise<Found>;
}

export const jobFile: FileKind = { key: 'name', check: checkJob };

/** Reads the text and has the server check it. */
export function useChecks(namespace: string, text: string, kind: FileKind = jobFile): Checks {
  const {
    said,
    common: { stop },
  } = useT();
  const parsed = useMemo(() => parse(text), [text]);
  const settled = useSettled(text, WAIT_MS);
  const given = parsed.value?.[kind.key];
  const name = typeof given === 'string' ? given : '';
  const canAsk = parsed.value !== undefined && name !== '' && settled === text;
  const query = useQuery({
    queryKey: ['check', kind.key, namespace, settled],
    queryFn: ({ signal }) => kind.check(namespace, name, toJson(parse(settled)), signal),
    enabled: canAsk,
    retry: false,
    gcTime: 10_000,
    staleTime: 60_000,
  });
  return useMemo(() => {
    const data = canAsk ? query.data : undefined;
    const told = (problem: Problem) => ({ ...problem, message: said.say(problem.code, problem.message), hint: problem.hint ? said.hint(problem.hint) : null });
    const problems = (data?.problems ?? []).map(told);
    const warnings = (data?.warnings ?? []).map(told);
    const mark = (severity: Mark['severity']) => (problem: Problem) => ({
      ...place(parsed, problem.pointer ?? ''),
      message: problem.hint ? `${problem.message}${stop}${problem.hint}` : problem.message,
      severity,
    });
    return {
      parsed,
      name,
      busy: parsed.value !== undefined && name !== '' && !data && !query.error,
      problems,
      warnings,
      marks: [
        ...parsed.errors.map((error) => ({ ...error, severity: 'error' as const })),
        ...problems.map(mark('error')),
        ...warnings.map(mark('warning')),
      ],
      byPointer: new Map(problems.map((problem) => [problem.pointer ?? '', problem.message])),
      isValid: data !== undefined && problems.length === 0,
      failure: query.error ? said.both(asApiError(query.error)) : undefined,
    };
  }, [parsed, name, canAsk, query.data, query.error, said, stop]);
}
