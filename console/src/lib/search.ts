/** Search parameters are plain strings in the address, so that people can read and write them. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(key, String(value));
  }
  const text = params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

type Raw = Record<string, unknown>;

/** A search parameter that is text; absent when empty. */
export function text(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** One of a few words; anything else counts as absent. */
export function oneOf<const W extends readonly string[]>(raw: Raw, key: string, words: W): W[number] | undefined {
  const value = text(raw, key);
  return words.find((word) => word === value);
}

/** A whole number of at least 0. */
export function count(raw: Raw, key: string): number | undefined {
  const value = text(raw, key);
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Words separated by commas. */
export function words(raw: Raw, key: string): string[] | undefined {
  const value = text(raw, key)?.split(',').filter(Boolean);
  return value && value.length > 0 ? value : undefined;
}

/** Reads the search parameters of a route; each may be absent. */
export function searchOf<T extends object>(read: (raw: Raw) => T): (raw: Raw) => Partial<T> {
  return (raw) => Object.fromEntries(Object.entries(read(raw)).filter(([, value]) => value !== undefined)) as Partial<T>;
}
