/** Parts of a log as the API sends them. */
import type { components } from '@/api/schema';

type Schemas = components['schemas'];

export type LogLine = Schemas['LogLine'];
export type LogError = Schemas['LogError'];
/** Both numbers are optional for clients of older servers only; the console comes with its own. */
export type LogPage = Schemas['LogPage'] & Required<Pick<Schemas['LogPage'], 'first_line' | 'total_lines'>>;
/** The document has no pairs: it calls a range a list of numbers. */
export type LogMatch = Omit<Schemas['LogMatch'], 'ranges'> & { ranges: [number, number][] };
export type LogFound = Omit<Schemas['LogFound'], 'matches'> & { matches: LogMatch[] };
