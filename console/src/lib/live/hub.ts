/**
 * One event stream a browser: a tab that holds a lock reads it and relays to the others.
 *
 * Where the browser has no locks (plain HTTP from afar), each tab reads a stream of its own.
 */
import { apiPath } from '../config';
import { sessionEnded, signIn } from '../session';
import { Place } from './place';
import { type Message, StreamRefused, readStream } from './sse';

/** Something changed: which topic, which object. */
export interface Change {
  topic: string;
  id?: string;
  version?: number;
  patch?: unknown;
}

export type Mode = 'live' | 'reconnecting' | 'polling';

export interface HubListener {
  onChanges(changes: Change[]): void;
  /** Changes may have been missed: everything shown is to be fetched again. */
  onResync(): void;
  onMode(mode: Mode): void;
  onHeard(): void;
}

type Post =
  | { kind: 'topics'; tab: string; topics: string[] }
  | { kind: 'fetching' }
  | { kind: 'who' }
  | { kind: 'changes'; changes: Change[] }
  | { kind: 'resync' }
  | { kind: 'mode'; mode: Mode }
  | { kind: 'heard' };

const LOCK = 'mainspring.stream';
const CHANNEL = 'mainspring.live';
const SILENCE_MS = 40_000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000];
/** Failures in a row after which pages are polled until the stream opens again. */
const FAILURES_MAX = 5;

export class Hub {
  private readonly tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
  private readonly channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);
  private readonly others = new Map<string, string[]>();
  private topics: string[] = [];
  private leaving: AbortController | undefined;
  private reopen: AbortController | undefined;
  private leading = false;
  private readonly place = new Place();

  constructor(private readonly listener: HubListener) {
    this.channel?.addEventListener('message', (event) => this.hear(event.data as Post));
    addEventListener('pagehide', () => this.stop());
  }

  /** Takes part: asks for topics, and reads the stream if no other tab does. */
  start(topics: string[]): void {
    this.setTopics(topics);
    if (this.leaving) return;
    const leaving = new AbortController();
    this.leaving = leaving;
    if (navigator.locks && this.channel) {
      navigator.locks.request(LOCK, { signal: leaving.signal }, () => this.lead(leaving.signal)).catch(() => undefined);
    } else {
      void this.lead(leaving.signal);
    }
  }

  /** Data is about to be fetched whose topics may be asked for next: no event since then may be missed. */
  fetching(): void {
    this.place.hold();
    this.post({ kind: 'fetching' });
  }

  /** What was fetched has no other topics than those that are asked for. */
  sameTopics(): void {
    this.place.drop();
  }

  setTopics(topics: string[]): void {
    const before = this.wanted().join();
    this.topics = topics;
    this.post({ kind: 'topics', tab: this.tab, topics });
    if (this.leading && this.wanted().join() !== before) this.reopen?.abort();
  }

  /** Stops hearing anything; another tab takes over. */
  stop(): void {
    this.leaving?.abort();
    this.leaving = undefined;
    this.topics = [];
    this.post({ kind: 'topics', tab: this.tab, topics: [] });
  }

  private wanted(): string[] {
    return known([...this.topics, ...[...this.others.values()].flat()]);
  }

  private post(post: Post): void {
    this.channel?.postMessage(post);
  }

  private hear(post: Post): void {
    switch (post.kind) {
      case 'who':
        if (this.leaving) this.post({ kind: 'topics', tab: this.tab, topics: this.topics });
        break;
      case 'fetching':
        this.place.hold();
        break;
      case 'topics': {
        const before = this.wanted().join();
        if (post.topics.length === 0) this.others.delete(post.tab);
        else this.others.set(post.tab, post.topics);
        if (this.leading && this.wanted().join() !== before) this.reopen?.abort();
        break;
      }
      default:
        if (this.leaving && !this.leading) this.take(post);
    }
  }

  private take(post: Post): void {
    if (post.kind === 'changes') this.listener.onChanges(post.changes);
    else if (post.kind === 'resync') this.listener.onResync();
    else if (post.kind === 'mode') this.listener.onMode(post.mode);
    else if (post.kind === 'heard') this.listener.onHeard();
  }

  /** Tells this tab and the others. */
  private tell(post: Post): void {
    this.take(post);
    this.post(post);
  }

  private async lead(leaving: AbortSignal): Promise<void> {
    this.leading = true;
    this.post({ kind: 'who' });
    let failures = 0;
    try {
      while (!leaving.aborted) {
        this.reopen = new AbortController();
        const under = signIn();
        const signal = either(leaving, this.reopen.signal);
        try {
          await readStream(this.url(), {
            lastId: this.place.begin(),
            signal,
            silenceMs: SILENCE_MS,
            onOpen: () => {
              // Between the failure and now things may have changed that no event tells.
              if (failures > 0 && this.place.isNew) this.tell({ kind: 'resync' });
              failures = 0;
              this.tell({ kind: 'mode', mode: 'live' });
            },
            onHeard: () => this.tell({ kind: 'heard' }),
            onMessage: (message) => {
              this.place.heard(message.id);
              this.receive(message);
            },
          });
        } catch (error) {
          if (leaving.aborted) return;
          if (error instanceof StreamRefused && error.status === 401) sessionEnded(under);
          if (error instanceof StreamRefused && error.status < 500) {
            // No stream here, whether the server or a proxy says so: trying often would not help.
            this.place.forget();
            failures = FAILURES_MAX;
          }
        }
        if (this.reopen.signal.aborted) continue;
        failures += 1;
        this.tell({ kind: 'mode', mode: failures >= FAILURES_MAX ? 'polling' : 'reconnecting' });
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 15_000, signal);
      }
    } finally {
      this.leading = false;
    }
  }

  private url(): string {
    return `${apiPath('/api/v1/stream')}?topics=${this.wanted().map(encodeURIComponent).join(',')}`;
  }

  private receive(message: Message): void {
    if (message.event === 'resync') return this.tell({ kind: 'resync' });
    const changes = changesOf(message);
    if (changes.length > 0) this.tell({ kind: 'changes', changes });
  }
}

/** Reads the changes of a message; what is not understood is passed over. */
export function changesOf(message: Message): Change[] {
  let body: unknown;
  try {
    body = JSON.parse(message.data);
  } catch {
    return [];
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if (message.event === 'stats') return [{ topic: 'stats', patch: body }];
  return typeof (body as Change).topic === 'string' ? [body as Change] : [];
}

const TOPIC = /^(?:runs|jobs|queues|workers|cluster|stats|run:[\w-]+|job:[\w.-]+\/[\w.-]+)$/;
const TOPICS_MAX = 100;

/** Topics that the server knows: one that it does not would refuse the whole stream. */
export function known(topics: readonly string[]): string[] {
  return [...new Set(topics)].filter((topic) => TOPIC.test(topic) && !topic.startsWith('job:-/')).sort().slice(0, TOPICS_MAX);
}

function either(a: AbortSignal, b: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const signal of [a, b]) {
    if (signal.aborted) both.abort();
    signal.addEventListener('abort', () => both.abort(), { once: true });
  }
  return both.signal;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
