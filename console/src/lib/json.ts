/** JSON that keeps what `JSON.parse` loses: every digit of a number, and the order of members. */

export type Json =
  | { kind: 'null' | 'true' | 'false' }
  | { kind: 'number'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'array'; items: Json[] }
  | { kind: 'object'; members: [string, Json][] };

/** Levels that are read; the server takes fewer. */
const DEPTH_MAX = 1000;

export class JsonSyntax extends Error {}

export function parseExact(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.at < text.length) throw new JsonSyntax(`unexpected text at ${reader.at}`);
  return value;
}

class Reader {
  at = 0;
  constructor(private readonly text: string) {}

  space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at += 1;
    }
  }

  value(depth: number): Json {
    if (depth > DEPTH_MAX) throw new JsonSyntax('nested too deeply');
    this.space();
    const start = this.text[this.at];
    if (start === '{') return this.object(depth);
    if (start === '[') return this.array(depth);
    if (start === '"') return { kind: 'string', value: this.string() };
    for (const word of ['null', 'true', 'false'] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return { kind: word };
      }
    }
    return { kind: 'number', text: this.match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y) };
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw new JsonSyntax(`unexpected text at ${this.at}`);
    this.at += found.length;
    return found;
  }

  private string(): string {
    const start = this.at;
    if (this.text[start] !== '"') throw new JsonSyntax(`expected a string at ${start}`);
    // By hand: a regular expression over a string of megabytes overflows the stack.
    let end = start;
    do {
      end = this.text.indexOf('"', end + 1);
      if (end < 0) throw new JsonSyntax(`a string does not end, from ${start}`);
    } while (isEscaped(this.text, end));
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, end + 1)) as string;
  }

  private take(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.take(character)) throw new JsonSyntax(`expected ${character} at ${this.at}`);
  }

  private array(depth: number): Json {
    const items: Json[] = [];
    this.expect('[');
    if (this.take(']')) return { kind: 'array', items };
    do items.push(this.value(depth + 1));
    while (this.take(','));
    this.expect(']');
    return { kind: 'array', items };
  }

  private object(depth: number): Json {
    const members: [string, Json][] = [];
    this.expect('{');
    if (this.take('}')) return { kind: 'object', members };
    do {
      this.space();
      const name = this.string();
      this.expect(':');
      members.push([name, this.value(depth + 1)]);
    } while (this.take(','));
    this.expect('}');
    return { kind: 'object', members };
  }
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns a member of an object. */
export function member(json: Json | undefined, name: string): Json | undefined {
  return json?.kind === 'object' ? json.members.find(([key]) => key === name)?.[1] : undefined;
}

/** Writes it, indented by two spaces. */
export function printExact(json: Json, indent = ''): string {
  const deeper = `${indent}  `;
  switch (json.kind) {
    case 'number':
      return json.text;
    case 'string':
      return JSON.stringify(json.value);
    case 'array':
      if (json.items.length === 0) return '[]';
      return `[\n${json.items.map((item) => deeper + printExact(item, deeper)).join(',\n')}\n${indent}]`;
    case 'object':
      if (json.members.length === 0) return '{}';
      return `{\n${json.members.map(([name, value]) => `${deeper}${JSON.stringify(name)}: ${printExact(value, deeper)}`).join(',\n')}\n${indent}}`;
    default:
      return json.kind;
  }
}
