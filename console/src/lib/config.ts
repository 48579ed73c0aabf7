/** What the server writes into the page: where the console lives, and the nonce that styles need. */
export interface Config {
  /** Path prefix, with a slash at both ends. */
  base: string;
  version: string;
  nonce: string;
}

export function readConfig(text: string | null | undefined, baseHref: string | null | undefined): Config {
  const fallback: Config = { base: baseHref || '/', version: '', nonce: '' };
  if (!text) return fallback;
  const given = JSON.parse(text) as Partial<Record<keyof Config | 'base_path', unknown>>;
  const word = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  return {
    base: withSlashes(word(given.base ?? given.base_path, fallback.base)),
    version: word(given.version, ''),
    nonce: word(given.nonce, ''),
  };
}

function withSlashes(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '/' : `/${inner}/`;
}

export const config: Config = readConfig(
  document.getElementById('config')?.textContent,
  document.querySelector('base')?.getAttribute('href'),
);

/** Returns the path of an API route below the base path. */
export function apiPath(path: string): string {
  return config.base.replace(/\/$/, '') + path;
}
