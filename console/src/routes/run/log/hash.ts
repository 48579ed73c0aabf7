/** Lines that an address points at: `#L120` or `#L120-L140`. */
export interface LineRange {
  from: number;
  to: number;
}

export function readHash(hash: string): LineRange | undefined {
  const match = /^#?L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash);
  if (!match) return undefined;
  const a = Number(match[1]);
  const b = Number(match[2] ?? match[1]);
  if (a < 1 || b < 1) return undefined;
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

export function writeHash({ from, to }: LineRange): string {
  return from === to ? `L${from}` : `L${from}-L${to}`;
}
