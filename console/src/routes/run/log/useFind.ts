import { useEffect, useState } from 'react';
import { raw } from '@/api/client';
import { logPath } from './useLog';
import type { LogFound, LogMatch } from './types';

export interface Search {
  q: string;
  regex: boolean;
  case: boolean;
}

export interface Find {
  matches: readonly LogMatch[];
  /** Lines that match, as far as the search came. */
  count: number;
  busy: boolean;
  /** All lines were searched. */
  done: boolean;
  searched: number;
  error: unknown;
}

const none: Find = { matches: [], count: 0, busy: false, done: true, searched: 0, error: undefined };
const PAUSE_MS = 180;
/** Matches that can be walked through; more are counted. */
const LISTED = 1000;
/** Requests for one search: each looks for two seconds at most. */
const ROUNDS = 15;

/** Looks for a text in the log, on the server. A search that takes longer goes on where it stopped. */
export function useFind(run: string, attempt: number | undefined, search: Search): Find {
  const [found, setFound] = useState<Find>(none);
  const { q, regex, case: cased } = search;
  useEffect(() => {
    if (q === '') {
      setFound(none);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      setFound((before) => ({ ...before, busy: true, error: undefined }));
      let matches: LogMatch[] = [];
      let count = 0;
      let from = 1;
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          const answer = await raw<LogFound>(
            'GET',
            logPath(run, { attempt, q, regex, case: cased, from_line: from, limit: Math.max(1, LISTED - matches.length) }, '/find'),
            undefined,
            stop.signal,
          );
          if (matches.length < LISTED) matches = [...matches, ...answer.matches];
          count += answer.count;
          from = answer.searched_through + 1;
          setFound({ matches, count, busy: !answer.done, done: answer.done, searched: answer.searched_through, error: undefined });
          if (answer.done) return;
        }
        setFound((before) => ({ ...before, busy: false }));
      } catch (error) {
        if (!stop.signal.aborted) setFound({ ...none, error });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [run, attempt, q, regex, cased]);
  return found;
}
