/** Which jobs of the list are chosen, and what an operation is told of them. Pure. */
import type { OperationSpec } from '@/api/operations';

/** Jobs of one namespace that an operation is for. */
export interface Target {
  namespace: string;
  /** By name; absent: those that `q` finds. */
  names?: string[];
  q?: string;
}

export function keyOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** The namespace and the name of a key. Names have no slash. */
export function placeOf(key: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/** Chosen jobs by namespace: an operation is of one. */
export function targetsOf(keys: Iterable<string>): Target[] {
  const byNamespace = new Map<string, string[]>();
  for (const key of keys) {
    const { namespace, name } = placeOf(key);
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), name]);
  }
  return [...byNamespace].map(([namespace, names]) => ({ namespace, names }));
}

export function selectorOf({ namespace, names, q }: Target): OperationSpec['selector'] {
  return names ? { namespace, names } : { namespace, q: q ?? '' };
}

/** Labels that are set, and names of those that are removed, as they are typed: `team=ops, -old`. Throws the word that is neither. */
export function readLabels(typed: string): { add: Record<string, string>; remove: string[] } {
  const add: Record<string, string> = {};
  const remove: string[] = [];
  for (const word of typed.split(/[\s,]+/).filter(Boolean)) {
    const label = /^([A-Za-z0-9][A-Za-z0-9._/-]*)=(.*)$/.exec(word);
    const gone = /^-([A-Za-z0-9][A-Za-z0-9._/-]*)$/.exec(word);
    if (label) add[label[1] as string] = label[2] as string;
    else if (gone) remove.push(gone[1] as string);
    else throw new Error(word);
  }
  return { add, remove };
}
