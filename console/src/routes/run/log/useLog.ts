import { useCallback, useEffect, useRef, useState } from 'react';
import { raw } from '@/api/client';
import { live, useChanges } from '@/lib/live';
import { fillPath } from '@/lib/commands';
import { type Pages, PAGE, askFrom, empty, isWhole, merge, missing, pageOf, prune, startOf } from './pages';
import type { LogPage } from './types';

export function logPath(run: string, query: Record<string, string | number | boolean | undefined>, part = ''): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== false) params.set(key, String(value));
  const text = params.toString();
  return fillPath('/api/v1/runs/{run}/log', { run }) + part + (text === '' ? '' : `?${text}`);
}

export interface Log extends Pages {
  error: unknown;
  /** Nothing has been answered yet. */
  loading: boolean;
  /** Fetches the lines that are about to be shown. */
  want: (from: number, to: number) => void;
  retry: () => void;
}

const GROWS_MS = 700;

/** The log of a run, or of one attempt: fetched page by page as it is looked at, and watched while it grows. */
export function useLog(run: string, attempt: number | undefined, running: boolean, around: number | undefined): Log {
  const [state, setState] = useState<Pages>(empty);
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const latest = useRef(state);
  latest.current = state;
  const asked = useRef(new Map<number, AbortController>());

  const fetchPage = useCallback(
    async (page: number) => {
      if (asked.current.has(page)) return;
      const stop = new AbortController();
      asked.current.set(page, stop);
      try {
        const answer = await raw<LogPage>('GET', logPath(run, { attempt, from_line: askFrom(latest.current, page), limit: PAGE }), undefined, stop.signal);
        setState((before) => prune(merge(before, answer), startOf(page)));
        setError(undefined);
      } catch (cause) {
        if (!stop.signal.aborted) setError(cause);
      } finally {
        if (asked.current.get(page) === stop) asked.current.delete(page);
        if (!stop.signal.aborted) setLoading(false);
      }
    },
    [run, attempt],
  );

  const begin = useCallback(() => {
    const stop = new AbortController();
    const query = around ? { attempt, from_line: startOf(pageOf(around)), limit: PAGE } : { attempt, tail: PAGE };
    raw<LogPage>('GET', logPath(run, query), undefined, stop.signal).then(
      (answer) => {
        setState((before) => merge(before, answer));
        setError(undefined);
        setLoading(false);
      },
      (cause) => {
        if (stop.signal.aborted) return;
        setError(cause);
        setLoading(false);
      },
    );
    return stop;
    // Where to begin is asked once: what is looked at later is fetched by `want`.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [run, attempt]);

  useEffect(() => {
    setState(empty);
    setLoading(true);
    const stop = begin();
    const pending = asked.current;
    return () => {
      stop.abort();
      for (const one of pending.values()) one.abort();
      pending.clear();
    };
  }, [begin]);

  const want = useCallback(
    (from: number, to: number) => {
      for (const page of missing(latest.current, from, to)) void fetchPage(page);
    },
    [fetchPage],
  );

  /** Asks for what has been written since. */
  const grow = useCallback(() => {
    const { total, complete } = latest.current;
    if (complete || live.get().mode === 'paused') return;
    void fetchPage(pageOf(Math.max(1, isWhole(latest.current, pageOf(total || 1)) ? total + 1 : total)));
  }, [fetchPage]);

  useChanges([`run:${run}`], grow);
  const watching = running || !state.complete;
  useEffect(() => {
    if (!watching) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && grow(), GROWS_MS);
    return () => clearInterval(timer);
  }, [watching, grow]);

  const retry = useCallback(() => {
    setError(undefined);
    setLoading(latest.current.total === 0);
    begin();
  }, [begin]);

  return { ...state, error, loading, want, retry };
}
