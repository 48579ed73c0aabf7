import { type ApiError, asApiError } from '@/api/problem';

export interface BulkResult {
  done: string[];
  failed: { name: string; error: ApiError }[];
}

/** Requests that are under way at a time. */
const AT_ONCE = 4;

/** Does one thing to many, a few at a time; what fails does not stop the others. */
export async function forEach(
  names: readonly string[],
  act: (name: string) => Promise<unknown>,
  onProgress: (finished: number) => void = () => undefined,
): Promise<BulkResult> {
  const result: BulkResult = { done: [], failed: [] };
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        await act(name);
        result.done.push(name);
      } catch (error) {
        result.failed.push({ name, error: asApiError(error) });
      }
      onProgress(result.done.length + result.failed.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, names.length) }, work));
  return result;
}
