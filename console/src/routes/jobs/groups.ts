/** Jobs in groups: by which field, under which headings, and what each heading stands for in the query language. Pure. */
import { quoted } from '@/lib/query';

/** Fields of which each job has at most one value. A label is one of them by its name: `label:team`. */
export const GROUP_FIELDS = ['namespace', 'state', 'owner', 'queue', 'task'] as const;
export type GroupField = (typeof GROUP_FIELDS)[number];

export interface GroupBy {
  field: GroupField | 'label';
  /** Name of the label. */
  label: string;
}

/** What the server counts. */
export interface Counted {
  values: readonly { value: string; count?: number | null }[];
  without?: number | null;
  complete: boolean;
}

export interface Head {
  /** The value as the field has it; absent: jobs that have none. */
  value: string | undefined;
  count: number;
  /** How an address names it. */
  key: string;
  /** Finds its jobs. */
  q: string;
}

/** How a job stands: the first of these that holds, as the server counts. So each job is in one group. */
const STANDINGS = ['paused', 'failing', 'running', 'never', 'enabled'];

/** Headings of states, those that want a look first. */
const STANDING_ORDER = ['failing', 'running', 'never', 'paused', 'enabled'];

/** Finds the jobs that stand so: those that would stand under another heading before it are left out. */
function standing(value: string): string {
  const before = STANDINGS.slice(0, STANDINGS.indexOf(value));
  return `state:${value}${before.length > 0 ? ` -state:${before.join(',')}` : ''}`;
}

/** Cannot be the text of a value: there, it is written in another way. */
const WITHOUT = '~';

/** Reads what an address says; what is no field groups nothing. */
export function groupByOf(text: string | undefined): GroupBy | undefined {
  const field = GROUP_FIELDS.find((known) => known === text);
  if (field) return { field, label: '' };
  const label = /^label:(.+)$/.exec(text ?? '')?.[1];
  return label === undefined ? undefined : { field: 'label', label };
}

/** The groups of the jobs that a query finds: the largest first, those without a value last. */
export function headsOf({ field, label }: GroupBy, q: string, { values, without }: Counted): Head[] {
  const start = field === 'label' ? `${label}=` : '';
  const narrowed = (term: string) => `${q} ${term}`.trim();
  if (field === 'state') {
    const place = (value: string) => STANDING_ORDER.indexOf(value);
    return [...values].sort((a, b) => place(a.value) - place(b.value)).map(({ value, count }) => ({ value, count: count ?? 0, key: value, q: narrowed(standing(value)) }));
  }
  const heads = values.map(({ value, count }): Head => ({ value: value.slice(start.length), count: count ?? 0, key: keyOfValue(value.slice(start.length)), q: narrowed(`${field}:${quoted(value)}`) }));
  if (without) heads.push({ value: undefined, count: without, key: WITHOUT, q: narrowed(field === 'label' ? `-label:${quoted(label)}` : `-${field}:*`) });
  return heads;
}

function keyOfValue(value: string): string {
  return encodeURIComponent(value).replaceAll('~', '%7E') || '%';
}
