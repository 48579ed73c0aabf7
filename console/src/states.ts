/** Every state that the console shows: one list, one glyph and one colour (`--state-…` in design/tokens.css) each. */
export const states = [
  'scheduled',
  'queued',
  'waiting',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'skipped',
  'misfired',
  'lost',
] as const;

export type State = (typeof states)[number];

/** Glyphs differ in shape, not only in colour: a 12 × 12 box, drawn in one colour. */
export const glyphs: Record<State, { fill?: string; stroke?: string }> = {
  scheduled: { stroke: 'M6 1.3a4.700 4.700 0 1 0 0 9.400a4.700 4.700 0 1 0 0-9.400M6 3.300V6l1.900 1.300' },
  queued: { stroke: 'M1.500 2.500h9M1.500 6h9M1.500 9.500h5.500' },
  waiting: { stroke: 'M2.500 1.300h7M2.500 10.700h7M3.200 1.300c0 3 5.600 6.400 5.600 9.400M8.800 1.300c0 3-5.600 6.400-5.600 9.400' },
  running: { fill: 'M2.700 1.200c0-.5.5-.8 1-.5l7 4.800c.4.3.4.8 0 1l-7 4.800c-.5.3-1 0-1-.5z' },
  retrying: { stroke: 'M10.200 6a4.200 4.200 0 1 1-1.300-3M9.200.7v2.500H6.700' },
  succeeded: { fill: 'M6 .5a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11M5.300 8.800 2.700 6.300l1-1 1.600 1.500 3.100-3.200 1 1z' },
  failed: { fill: 'M3.700.5h4.600l3.200 3.200v4.600l-3.200 3.200H3.700L.5 8.300V3.700zM3.400 4.400 5 6 3.400 7.600l1 1L6 7l1.600 1.600 1-1L7 6l1.600-1.600-1-1L6 5 4.400 3.400z' },
  timed_out: { fill: 'M4.500 0h3v1.300h-3zM6 1.800a4.900 4.900 0 1 0 0 9.800a4.900 4.900 0 1 0 0-9.800M5.400 4h1.200v3H5.400zM5.400 7.900h1.200v1.200H5.400z' },
  cancelled: { stroke: 'M6 1.300a4.700 4.700 0 1 0 0 9.400a4.700 4.700 0 1 0 0-9.400M2.700 9.300l6.600-6.600' },
  skipped: { stroke: 'M2 2.500 6 6 2 9.500M6.500 2.500l4 3.500-4 3.500' },
  misfired: { fill: 'M6 .4 11.800 11H.200zM5.400 4.300h1.200V7.500H5.400zM5.400 8.400h1.200v1.200H5.400z' },
  lost: { stroke: 'M3.600 3.900c0-3.300 5-3.300 5 0 0 2-2.600 2-2.600 3.900M6 9.900v.9' },
};

/** States that a run does not leave. */
const final: ReadonlySet<string> = new Set(['succeeded', 'failed', 'timed_out', 'cancelled', 'skipped', 'misfired', 'lost']);

export function isFinal(state: string): boolean {
  return final.has(state);
}

/** Shows a word of the API as a state: what a newer server adds looks like `waiting`. */
export function asState(word: string): State {
  if (word === 'held') return 'waiting';
  return states.find((state) => state === word) ?? 'waiting';
}

/** State of a run as people see it: one that waits for a further attempt is retrying. */
export function runState(run: { state: string; attempt?: number }): State {
  if (run.state === 'queued' && (run.attempt ?? 0) > 0) return 'retrying';
  return asState(run.state);
}
