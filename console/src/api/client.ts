import createClient, { type Middleware } from 'openapi-fetch';
import { heardServerTime } from '@/lib/clock';
import { apiPath, config } from '@/lib/config';
import { prefs } from '@/lib/prefs';
import { sessionEnded, signIn } from '@/lib/session';
import { ApiError, NO_ANSWER, toApiError } from './problem';
import type { paths } from './schema';

const sentUnder = new WeakMap<Request, number>();

const shared: Middleware = {
  onRequest({ request }) {
    request.headers.set('accept-language', prefs.get().language === 'zh' ? 'zh-CN' : 'en');
    sentUnder.set(request, signIn());
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401) sessionEnded(sentUnder.get(request) ?? signIn());
    const date = response.headers.get('date');
    // Whole seconds: good for clocks that are minutes wrong, and the stream says it better.
    if (date && Math.abs(Date.parse(date) - Date.now()) > 5000) heardServerTime(Date.parse(date));
    return response;
  },
};

export const api = createClient<paths>({ baseUrl: config.base.replace(/\/$/, ''), credentials: 'same-origin' });
api.use(shared);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the data of an answer, or throws an `ApiError`. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await settle(answer);
  if (!response.ok) throw toApiError(error, response);
  return data as T;
}

/** As `ask`, with the answer's `ETag` for a later `If-Match`. */
export async function askWithTag<T>(answer: Promise<Answer<T>>): Promise<{ data: T; tag: string | undefined }> {
  const { data, error, response } = await settle(answer);
  if (!response.ok) throw toApiError(error, response);
  return { data: data as T, tag: response.headers.get('etag') ?? undefined };
}

async function settle<T>(answer: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError({ status: 0, code: NO_ANSWER, detail });
  }
}

/** A key that makes repeating a POST harmless. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Calls a route whose path or parameters are put together by hand, and returns its JSON. */
export async function raw<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return json(await send({ method, path, body: body === undefined ? undefined : JSON.stringify(body), signal })) as T;
}

/** Returns the body of an answer as text: JSON whose numbers keep every digit. */
export function exactText(path: string, signal?: AbortSignal): Promise<string> {
  return send({ method: 'GET', path, signal });
}

export interface Sent {
  method: string;
  path: string;
  /** JSON. */
  body?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Sends a request and returns the body of its answer, or throws an `ApiError`. */
export async function send({ method, path, body, headers: more, signal }: Sent): Promise<string> {
  const headers: Record<string, string> = { accept: 'application/json', 'accept-language': prefs.get().language === 'zh' ? 'zh-CN' : 'en', ...more };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init: RequestInit = { method, headers, body: body ?? null, credentials: 'same-origin', signal: signal ?? null };
  const under = signIn();
  const { response } = await settle(fetch(apiPath(path), init).then((answer) => ({ response: answer })));
  const text = await response.text();
  if (response.ok) return text;
  // A login that fails is the login page's matter.
  if (response.status === 401 && !path.endsWith('/session')) sessionEnded(under);
  throw toApiError(json(text), response);
}

/** Reads JSON; what is none, such as a proxy's page, counts as nothing. */
function json(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
