/** What a form for a run begins with: the input of a run that was, parameter by parameter. Pure. */
import { type Json, printExact } from '@/lib/json';

export interface Given {
  /** Values of parameters, as people type them. */
  typed: Record<string, string>;
  /** The rest of the input, as JSON; empty where there is none. */
  input: string;
}

/** Divides an input into parameters of the job and what is left. */
export function givenOf(input: Json | undefined, params: readonly string[]): Given {
  if (!input || input.kind === 'null') return { typed: {}, input: '' };
  if (input.kind !== 'object') return { typed: {}, input: printExact(input) };
  const isParam = (name: string) => params.includes(name);
  const typed = input.members.flatMap(([name, value]) => (isParam(name) && value.kind !== 'null' ? [[name, textOf(value)] as const] : []));
  const rest = input.members.filter(([name]) => !isParam(name));
  return { typed: Object.fromEntries(typed), input: rest.length === 0 ? '' : printExact({ kind: 'object', members: rest }) };
}

function textOf(value: Json): string {
  return value.kind === 'string' ? value.value : printExact(value);
}
