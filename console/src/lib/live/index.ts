/**
 * Live data. A query names the topics of the stream that it depends on, in `meta.topics`; when one of them
 * changes, the query is fetched again, at most once in `meta.every` milliseconds. Pause stops everything.
 */
import type { Query, QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { heardServerTime } from '../clock';
import { createStore } from '../store';
import { type Change, Hub, type Mode } from './hub';

export type { Change };

export interface LiveState {
  mode: Mode | 'paused';
  /** When the server was last heard, by the browser's clock. */
  heardAt: number;
}

/** Figures that the stream brings once a second. */
export interface Stats {
  running: number;
  queued: number;
  fires_total: number;
  failed_total: number;
  late_p99_ms: number | null;
  workers: number;
  nodes: number;
  now: string;
}

export const live = createStore<LiveState>({ mode: 'reconnecting', heardAt: Date.now() });
export const stats = createStore<Stats | undefined>(undefined);

/** What every page of the frame needs. */
const ALWAYS = ['stats'];
const EVERY_MS = 1000;
const POLL_MS = 5000;
const HIDDEN_MS = 60_000;
const FLUSH_MS = 150;

const listeners = new Set<(changes: Change[]) => void>();

/** Calls back with the changes of topics, while mounted and not paused. */
export function useChanges(topics: readonly string[], onChanges: (changes: Change[]) => void): void {
  const latest = useRef(onChanges);
  latest.current = onChanges;
  const key = topics.join(' ');
  useEffect(() => {
    const wanted = new Set(key.split(' '));
    const listener = (changes: Change[]) => {
      const mine = changes.filter((change) => wanted.has(change.topic));
      if (mine.length > 0) latest.current(mine);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [key]);
}

/** Topics that a query names. */
export function topicsOf(query: Query): readonly string[] {
  const topics = query.meta?.topics;
  return Array.isArray(topics) ? (topics as string[]) : [];
}

let control: { pause(): void; resume(): void } | undefined;

export function pauseLive(): void {
  control?.pause();
}

export function resumeLive(): void {
  control?.resume();
}

/** Starts live data for the page. Called once; where nobody is signed in yet, it waits for `resumeLive`. */
export function startLive(client: QueryClient, isSignedIn: boolean): void {
  const cache = client.getQueryCache();
  const pending = new Map<string, number>();
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let paused = false;
  let hidden = false;

  const refetch = (query: Query) => void client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' });

  const flush = () => {
    flushing = undefined;
    if (paused) return pending.clear();
    const now = Date.now();
    for (const [hash, dueAt] of pending) {
      const query = cache.get(hash);
      if (!query) pending.delete(hash);
      else if (dueAt <= now && query.state.fetchStatus === 'idle') {
        pending.delete(hash);
        if (query.isActive()) refetch(query);
        else void query.invalidate();
      }
    }
    if (pending.size > 0) flushing = setTimeout(flush, FLUSH_MS);
  };

  const onChanges = (changes: Change[]) => {
    if (paused) return;
    const changed = new Set(changes.map((change) => change.topic));
    for (const change of changes) {
      if (change.topic === 'stats' && change.patch) {
        const next = change.patch as Stats;
        heardServerTime(Date.parse(next.now));
        stats.set(next);
      }
    }
    for (const query of cache.getAll()) {
      if (!topicsOf(query).some((topic) => changed.has(topic)) || pending.has(query.queryHash)) continue;
      const every = typeof query.meta?.every === 'number' ? query.meta.every : EVERY_MS;
      pending.set(query.queryHash, Math.max(Date.now(), query.state.dataUpdatedAt + every));
    }
    if (pending.size > 0) flushing ??= setTimeout(flush, FLUSH_MS);
    for (const listener of [...listeners]) listener(changes);
  };

  const everything = () => {
    if (paused) return;
    for (const query of cache.getAll()) {
      if (topicsOf(query).length === 0) continue;
      if (query.isActive()) refetch(query);
      else void query.invalidate();
    }
  };

  const setMode = (mode: LiveState['mode']) => {
    live.set((before) => (before.mode === mode ? before : { ...before, mode }));
    clearInterval(polling);
    polling = mode === 'polling' ? setInterval(everything, POLL_MS) : undefined;
  };

  const hub = new Hub({
    onChanges,
    onResync: everything,
    onMode: (mode) => !paused && setMode(mode),
    onHeard: () => live.set((before) => ({ ...before, heardAt: Date.now() })),
  });

  const wanted = () => {
    const topics = cache.findAll({ type: 'active' }).flatMap(topicsOf);
    return [...new Set([...ALWAYS, ...topics])].sort();
  };

  let asked = '';
  let asking: ReturnType<typeof setTimeout> | undefined;
  let isFetching = false;
  cache.subscribe((event) => {
    if (event.type !== 'observerAdded' && event.type !== 'observerRemoved') return;
    // What leaves the page is told before what comes to it.
    if (event.type === 'observerAdded' && !isFetching) {
      isFetching = true;
      hub.fetching();
    }
    asking ??= setTimeout(() => {
      asking = undefined;
      isFetching = false;
      const topics = wanted();
      if (paused || hidden || topics.join() === asked) return hub.sameTopics();
      asked = topics.join();
      hub.setTopics(topics);
    }, 200);
  });

  const begin = () => {
    asked = wanted().join();
    setMode('reconnecting');
    hub.start(asked.split(','));
  };

  control = {
    pause() {
      paused = true;
      hub.stop();
      setMode('paused');
      void client.cancelQueries();
    },
    resume() {
      // A stream that was refused would wait before it tries again.
      hub.stop();
      paused = false;
      begin();
      everything();
    },
  };

  let leaving: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(leaving);
    if (document.visibilityState === 'hidden') {
      leaving = setTimeout(() => {
        hidden = true;
        hub.stop();
      }, HIDDEN_MS);
    } else if (hidden) {
      hidden = false;
      if (paused) return;
      begin();
      everything();
    }
  });

  if (isSignedIn) begin();
}
