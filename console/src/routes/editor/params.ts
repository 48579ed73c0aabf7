/** The default of a parameter as it is typed, as a value of its type; what is none stays text, and the server says what is wrong. */
export function defaultOf(type: unknown, typed: string): unknown {
  if (typed === '') return undefined;
  if (type === 'integer' && /^-?\d+$/.test(typed)) return BigInt(typed);
  if (type === 'number' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(typed)) return Number(typed);
  if (type === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true';
  return typed;
}
