/** The search of the run list: `field:value` words, as the API reads them. Pure. */

const STATE = /(^|\s)state:([a-z,_]+)/;

/** States that a search asks for. */
export function statesOf(q: string): string[] {
  return STATE.exec(q)?.[2]?.split(',').filter(Boolean) ?? [];
}

/** Sets the states of a search, and leaves the rest as it is. */
export function withStates(q: string, states: readonly string[]): string {
  const rest = q.replace(STATE, ' ').replace(/\s+/g, ' ').trim();
  return [states.length > 0 ? `state:${states.join(',')}` : '', rest].filter(Boolean).join(' ');
}

/** Ids that are new at the head of a list; all of them when the two have nothing in common. */
export function fresh(shown: readonly { id: string }[], head: readonly { id: string }[]): string[] {
  const known = new Set(shown.map(({ id }) => id));
  return head.filter(({ id }) => !known.has(id)).map(({ id }) => id);
}

/** The shown rows with what is newer about them; none moves. */
export function patched<R extends { id: string }>(shown: readonly R[], head: readonly R[]): R[] {
  const newer = new Map(head.map((row) => [row.id, row]));
  return shown.map((row) => newer.get(row.id) ?? row);
}
