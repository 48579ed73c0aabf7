/** The query language of the job list: `field:value`, `-field:value`, quotes, free text. */

export interface Term {
  field: string;
  value: string;
  negated: boolean;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

const TERM = /(-?)(?:([A-Za-z_]+):)?("(?:[^"\\]|\\.)*"?|[^\s"]+)/g;

/** Splits a query into its terms; a term without a field has the field `''`. */
export function parseTerms(query: string): Term[] {
  return [...query.matchAll(TERM)].map((match) => ({
    negated: match[1] === '-',
    field: match[2] ?? '',
    value: unquote(match[3] ?? ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1');
}

/** Writes a term, in quotes where it needs them. */
export function writeTerm(field: string, value: string, negated = false): string {
  const quoted = /^[^\s"]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `${negated ? '-' : ''}${field === '' ? '' : `${field}:`}${quoted}`;
}

/** What the list route takes. */
export interface JobFilter {
  name?: string;
  label?: string;
  paused?: boolean;
}

export interface ReadQuery {
  filter: JobFilter;
  /** Terms that the list does not know. */
  unknown: Term[];
}

/** Fields and what may follow them; for completion and for messages. */
export const fields = ['name', 'label', 'state'] as const;
export const stateValues = ['enabled', 'paused'] as const;

export function readQuery(query: string): ReadQuery {
  const filter: JobFilter = {};
  const unknown: Term[] = [];
  for (const term of parseTerms(query)) {
    const known = take(term, filter);
    if (!known) unknown.push(term);
  }
  return { filter, unknown };
}

function take(term: Term, filter: JobFilter): boolean {
  const { field, value, negated } = term;
  if (field === 'state' && (value === 'paused' || value === 'enabled') && filter.paused === undefined) {
    filter.paused = (value === 'paused') !== negated;
    return true;
  }
  if (negated) return false;
  if (field === 'label' && filter.label === undefined) {
    filter.label = value;
    return true;
  }
  if ((field === '' || field === 'name') && filter.name === undefined) {
    filter.name = value;
    return true;
  }
  return false;
}

/** Puts a term into a query, or takes it out if it is there. */
export function toggleTerm(query: string, field: string, value: string): string {
  const terms = parseTerms(query);
  const same = terms.filter((term) => term.field === field && term.value === value && !term.negated);
  const kept = terms.filter((term) => !(term.field === field && !term.negated));
  const words = kept.map((term) => writeTerm(term.field, term.value, term.negated));
  if (same.length === 0) words.push(writeTerm(field, value));
  return words.join(' ');
}
