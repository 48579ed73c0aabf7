import { useSyncExternalStore } from 'react';
import { createStore } from './store';

/** Server clock minus browser clock, in milliseconds: durations tick by the server's clock. */
export const clockOffset = createStore(0);

/** Takes a server time that arrived just now. Offsets below a quarter second are noise of the network. */
export function heardServerTime(serverMs: number): void {
  const offset = serverMs - Date.now();
  if (Number.isFinite(offset) && Math.abs(offset - clockOffset.get()) > 250) clockOffset.set(offset);
}

export function serverNow(): number {
  return Date.now() + clockOffset.get();
}

const listeners = new Set<() => void>();
let second = Math.floor(serverNow() / 1000);
let timer: ReturnType<typeof setTimeout> | undefined;

function refresh() {
  second = Math.floor(serverNow() / 1000);
  for (const listener of [...listeners]) listener();
}

function tick() {
  refresh();
  timer = listeners.size > 0 ? setTimeout(tick, 1000 - (serverNow() % 1000) + 5) : undefined;
}

function subscribe(listener: () => void): () => void {
  // Nobody watched for a while, and the second is an old one.
  if (listeners.size === 0) second = Math.floor(serverNow() / 1000);
  listeners.add(listener);
  timer ??= setTimeout(tick, 1000 - (serverNow() % 1000) + 5);
  return () => listeners.delete(listener);
}

clockOffset.subscribe(refresh);

/** Returns the server's time in milliseconds, new every second, for all components at once. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => second) * 1000;
}
