/** Server-sent events over fetch: unlike EventSource it shows the status, the heartbeat and the last id. */

export interface Message {
  event: string;
  data: string;
  id: string;
}

/** Splits a stream of text into messages, wherever the chunks break. A comment counts as a heartbeat. */
export class Parser {
  private rest = '';
  private event = '';
  private data: string[] = [];
  private id = '';

  constructor(
    private readonly onMessage: (message: Message) => void,
    private readonly onHeartbeat: () => void = () => undefined,
  ) {}

  push(chunk: string): void {
    const lines = (this.rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === '') return this.flush();
    if (line.startsWith(':')) return this.onHeartbeat();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.event = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
  }

  private flush(): void {
    if (this.data.length > 0) this.onMessage({ event: this.event || 'message', data: this.data.join('\n'), id: this.id });
    this.event = '';
    this.data = [];
  }
}

export class StreamRefused extends Error {
  constructor(readonly status: number) {
    super(`the event stream answered ${status}`);
  }
}

/** Reads a stream until it ends, the signal aborts it, or nothing was heard for `silenceMs`. */
export async function readStream(
  url: string,
  options: {
    lastId: string;
    signal: AbortSignal;
    silenceMs: number;
    onOpen: () => void;
    onMessage: (message: Message) => void;
    onHeard: () => void;
  },
): Promise<void> {
  const silent = new AbortController();
  const signal = AbortSignal.any ? AbortSignal.any([options.signal, silent.signal]) : options.signal;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), options.silenceMs);
    options.onHeard();
  };
  try {
    heard();
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (options.lastId !== '') headers['last-event-id'] = options.lastId;
    const response = await fetch(url, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
    if (!response.ok || !response.body) throw new StreamRefused(response.status);
    options.onOpen();
    const parser = new Parser(options.onMessage);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      parser.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
}
