import { config } from '@/lib/config';
import { toApiError } from './problem';

/** Returns the body of an answer as text: JSON whose numbers keep every digit. */
export async function exactText(path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(config.base.replace(/\/$/, '') + path, { signal, credentials: 'same-origin', headers: { accept: 'application/json' } });
  const text = await response.text();
  if (response.ok) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  throw toApiError(body, response);
}
