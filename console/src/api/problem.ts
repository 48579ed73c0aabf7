import type { components } from './schema';

export type Problem = components['schemas']['Problem'];

/** An answer that is not what was asked for, or none at all. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: Problem[];

  constructor(init: { status: number; code: string; detail: string; hint?: string; requestId?: string; errors?: Problem[] }) {
    super(init.detail);
    this.name = 'ApiError';
    this.status = init.status;
    this.code = init.code;
    this.hint = init.hint;
    this.requestId = init.requestId;
    this.errors = init.errors ?? [];
  }

  get isForbidden(): boolean {
    return this.status === 403;
  }

  get isMissing(): boolean {
    return this.status === 404;
  }

  /** Someone else saved a newer version. */
  get isStale(): boolean {
    return this.status === 412 || this.status === 409;
  }
}

export const NO_ANSWER = 'console.no_answer';
export const NOT_PROBLEM = 'console.unexpected_answer';

/** Makes an error of an answer whose body may be problem+json, or a proxy's page. */
export function toApiError(body: unknown, response: Pick<Response, 'status' | 'headers'>): ApiError {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const word = (key: string) => (typeof given[key] === 'string' ? (given[key] as string) : undefined);
  return new ApiError({
    status: response.status,
    code: word('code') ?? NOT_PROBLEM,
    detail: word('detail') ?? word('title') ?? `HTTP ${response.status}`,
    hint: word('hint'),
    requestId: word('request_id') ?? response.headers.get('x-request-id') ?? undefined,
    errors: Array.isArray(given.errors) ? (given.errors as Problem[]) : [],
  });
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: NO_ANSWER, detail });
}
