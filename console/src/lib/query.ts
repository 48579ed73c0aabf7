/** The words of a query, as docs/reference/query-language.md has them; the server reads what they mean. */

export interface Term {
  field: string;
  /** Behind the colon, as it was written. */
  value: string;
  negated: boolean;
}

const TERM = /(-?)(?:([A-Za-z_]+):)?((?:"(?:[^"\\]|\\.)*"?|[^\s"])+)/g;

export function parseTerms(query: string): Term[] {
  return [...query.matchAll(TERM)].map((match) => ({ negated: match[1] === '-', field: match[2] ?? '', value: match[3] ?? '' }));
}

/** Writes a value, in quotes where it needs them. */
export function quoted(value: string): string {
  return /^[^\s",]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function write({ negated, field, value }: Term): string {
  return `${negated ? '-' : ''}${field === '' ? '' : `${field}:`}${value}`;
}

/** Returns the value of a field, where the query names it once and does not negate it. */
export function valueOf(query: string, field: string): string | undefined {
  const terms = parseTerms(query).filter((term) => term.field === field);
  return terms.length === 1 && !terms[0]?.negated ? terms[0]?.value : undefined;
}

/** Sets the value of a field in place of what the query says of it; nothing takes the field out. */
export function withValue(query: string, field: string, value: string | undefined): string {
  const kept = parseTerms(query).filter((term) => term.field !== field);
  const words = kept.map(write);
  if (value !== undefined) words.push(`${field}:${quoted(value)}`);
  return words.join(' ');
}

export interface Asked {
  /** What stands before what is completed: `-label:`. */
  before: string;
  /** Field whose values are asked for; none: the fields themselves. */
  field: string | undefined;
  prefix: string;
}

/** What the word under the cursor asks to be completed with. */
export function askedBy(word: string): Asked {
  const match = /^(-?)(?:([A-Za-z_]+):((?:[^,]*,)*))?(.*)$/.exec(word);
  const [, minus = '', field, list = '', prefix = ''] = match ?? [];
  return { before: field === undefined ? minus : `${minus}${field}:${list}`, field, prefix: prefix.replace(/^"/, '') };
}
