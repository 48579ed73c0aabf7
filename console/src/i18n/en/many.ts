/** A number of things: `1 run`, `2 runs`. The number is formatted already. */
export function many(n: string, thing: string, things = `${thing}s`): string {
  return n === '1' ? `1 ${thing}` : `${n} ${things}`;
}
