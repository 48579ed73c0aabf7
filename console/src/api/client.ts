import createClient, { type Middleware } from 'openapi-fetch';
import { heardServerTime } from '@/lib/clock';
import { config } from '@/lib/config';
import { prefs } from '@/lib/prefs';
import { sessionEnded } from '@/lib/session';
import { ApiError, NO_ANSWER, toApiError } from './problem';
import type { paths } from './schema';

const shared: Middleware = {
  onRequest({ request }) {
    request.headers.set('accept-language', prefs.get().language === 'zh' ? 'zh-CN' : 'en');
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) sessionEnded();
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

/** Calls a route that the OpenAPI document does not have yet (see contract.ts). */
export async function raw<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-language': prefs.get().language === 'zh' ? 'zh-CN' : 'en',
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal: signal ?? null };
  if (body !== undefined) init.body = JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(config.base.replace(/\/$/, '') + path, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError({ status: 0, code: NO_ANSWER, detail: cause instanceof Error ? cause.message : String(cause) });
  }
  const text = await response.text();
  let value: unknown;
  try {
    value = text === '' ? undefined : JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!response.ok) {
    // A login that fails is the login page's matter.
    if (response.status === 401 && !path.endsWith('/session')) sessionEnded();
    throw toApiError(value, response);
  }
  return value as T;
}
