import { useRef } from 'react';

/** Returns the newest rows there were: while a query is on its way, or cannot be read, those of the last one stay. */
export function useKept<T>(fetched: T | undefined): T | undefined {
  const kept = useRef<T>(undefined);
  if (fetched !== undefined) kept.current = fetched;
  return fetched ?? kept.current;
}

/** Returns what is wrong with a search. One that is asked again forgets its error until the answer is there: the reader should not. */
export function useSearchError(key: string, error: Error | null, isAnswered: boolean): Error | undefined {
  const wrong = useRef<{ key: string; error: Error }>(undefined);
  if (error) wrong.current = { key, error };
  else if (isAnswered || wrong.current?.key !== key) wrong.current = undefined;
  return wrong.current?.error;
}
