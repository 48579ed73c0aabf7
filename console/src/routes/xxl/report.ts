/** The report of an import from XXL-JOB, as `mainspring import xxl-job -o json` writes it. Pure. */

export const outcomes = ['refused', 'changed', 'exact'] as const;
export type Outcome = (typeof outcomes)[number];
export const kinds = ['job', 'app', 'user', 'database'] as const;
export type Kind = (typeof kinds)[number];

export interface Item {
  kind: Kind;
  id: number;
  name: string;
  outcome: Outcome;
  becomes: string | undefined;
  notes: string[];
}

export interface Report {
  release: string;
  items: Item[];
  files: string[];
}

/** Larger files are no reports, and would hold the page up. */
export const REPORT_MAX = 64 << 20;

type Fault = 'json' | 'report';

/** Reads a report, or says what it is not. Those items that are of no known kind are left out. */
export function readReport(text: string): Report | Fault {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return 'json';
  }
  if (!isObject(given) || !Array.isArray(given.items)) return 'report';
  const items = given.items.flatMap((item: unknown): Item[] => {
    if (!isObject(item)) return [];
    const { kind, id, name, outcome, becomes, notes } = item;
    const known = { kind: kinds.find((each) => each === kind), outcome: outcomes.find((each) => each === outcome) };
    if (!known.kind || !known.outcome || typeof name !== 'string') return [];
    return [{ kind: known.kind, outcome: known.outcome, id: Number(id), name, becomes: typeof becomes === 'string' ? becomes : undefined, notes: strings(notes) }];
  });
  if (items.length === 0 && given.items.length > 0) return 'report';
  return { release: typeof given.release === 'string' ? given.release : '', items, files: strings(given.files) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export interface Filter {
  outcome?: Outcome | undefined;
  kind?: Kind | undefined;
  q?: string | undefined;
}

/** The items that a filter lets through: what was refused first, then what is different. */
export function itemsOf({ items }: Report, { outcome, kind, q = '' }: Filter): Item[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (item: Item) => [item.id, item.name, item.becomes ?? '', ...item.notes].join('\n').toLowerCase();
  return items
    .filter((item) => (!outcome || item.outcome === outcome) && (!kind || item.kind === kind) && (words.length === 0 || words.every((word) => text(item).includes(word))))
    .sort((a, b) => outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome));
}

/** How many items of a kind fared how. */
export function countsOf({ items }: Report, kind: Kind): Record<Outcome, number> {
  const counts = { refused: 0, changed: 0, exact: 0 };
  for (const item of items) if (item.kind === kind) counts[item.outcome] += 1;
  return counts;
}

/** The notes that most items share, the most frequent first: what one decision settles for many. */
export function sharedNotes({ items }: Report, most: number): { note: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const note of items.flatMap(({ notes }) => [...new Set(notes)])) counts.set(note, (counts.get(note) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .slice(0, most)
    .map(([note, count]) => ({ note, count }));
}

/** The job that an item has become, by its name. */
export function jobOf({ becomes }: Item): string | undefined {
  return becomes && /^job ([^\s:]+):/.exec(becomes)?.[1];
}

/** What somebody has to look at, as lines for a ticket. */
export function openPoints(items: readonly Item[]): string {
  return items
    .filter(({ outcome }) => outcome !== 'exact')
    .map(({ kind, id, name, outcome, notes }) => `- [ ] ${kind} ${id} ${name}: ${outcome}${notes.map((note) => `\n  - ${note}`).join('')}`)
    .join('\n');
}
