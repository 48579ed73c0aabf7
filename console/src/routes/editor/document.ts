/**
 * The job file that is edited. The text is the one truth: the form reads it and changes places in it, so that form
 * and text never disagree, and comments stay where nobody touched them.
 */
import { Document, isAlias, isMap, isPair, isScalar, isSeq, parseDocument } from 'yaml';
import { type Json, parseExact } from '@/lib/json';

export type Path = readonly (string | number)[];

export interface Parsed {
  document: Document;
  /** What cannot be read, with its place in the text. */
  errors: { message: string; from: number; to: number }[];
  /** The job, where the text can be read and is a mapping. */
  value: Record<string, unknown> | undefined;
}

export function parse(text: string): Parsed {
  const document: Document = parseDocument(text, { intAsBigInt: true, prettyErrors: false, strict: true });
  const errors = document.errors.map((error) => ({ message: error.message, from: error.pos[0], to: Math.max(error.pos[1], error.pos[0] + 1) }));
  if (errors.length > 0) return { document, errors, value: undefined };
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { document, errors, value: value as Record<string, unknown> };
  return { document, errors, value: value === null ? {} : undefined };
}

const WRITE = { lineWidth: 0, blockQuote: 'literal' } as const;

/** Returns the text with one place changed; `undefined` takes it out. */
export function change(text: string, path: Path, value: unknown): string {
  const { document } = parse(text);
  if (value === undefined) {
    document.deleteIn(path);
    // An empty mapping says nothing.
    const parent = path.slice(0, -1);
    const left = parent.length > 0 ? document.getIn(parent) : undefined;
    if (isMap(left) && left.items.length === 0) document.deleteIn(parent);
  } else {
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
      document.contents = document.createNode({}) as never;
    }
    document.setIn(path, document.createNode(value));
  }
  return document.toString(WRITE);
}

/** Writes the file as JSON for the API: every number as it stands in the text. */
export function toJson(parsed: Parsed): string {
  return nodeToJson(parsed.document.contents, parsed.document);
}

function nodeToJson(node: unknown, document: Document): string {
  if (isAlias(node)) return nodeToJson(node.resolve(document), document);
  if (isMap(node)) {
    const members = node.items.filter(isPair).map((pair) => `${JSON.stringify(keyOf(pair.key))}:${nodeToJson(pair.value, document)}`);
    return `{${members.join(',')}}`;
  }
  if (isSeq(node)) return `[${node.items.map((item) => nodeToJson(item, document)).join(',')}]`;
  if (!isScalar(node) || node.value === null || node.value === undefined) return 'null';
  const { value, source } = node;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') {
    const isPlain = source !== undefined && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source);
    return isPlain ? source : Number.isFinite(value) ? String(value) : 'null';
  }
  return JSON.stringify(value);
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? (key.source ?? key.value) : key);
}

/** Writes what the API holds as a job file. */
export function fromJson(text: string): string {
  return new Document(plain(parseExact(text))).toString(WRITE);
}

/** Reads JSON as the file holds it; nothing where it is none. */
export function exactValue(text: string): { value: unknown } | undefined {
  try {
    return { value: plain(parseExact(text)) };
  } catch {
    return undefined;
  }
}

/** Writes a value of the file as JSON, big integers with all their digits. */
export function jsonText(value: unknown, indent = ''): string {
  const deeper = `${indent}  `;
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[\n${value.map((item) => deeper + jsonText(item, deeper)).join(',\n')}\n${indent}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value);
  return members.length === 0 ? '{}' : `{\n${members.map(([key, member]) => `${deeper}${JSON.stringify(key)}: ${jsonText(member, deeper)}`).join(',\n')}\n${indent}}`;
}

/** Whole numbers keep their digits as big integers. */
function plain(json: Json): unknown {
  switch (json.kind) {
    case 'null':
      return null;
    case 'true':
    case 'false':
      return json.kind === 'true';
    case 'string':
      return json.value;
    case 'number':
      return /^-?\d+$/.test(json.text) ? BigInt(json.text) : Number(json.text);
    case 'array':
      return json.items.map(plain);
    case 'object':
      return Object.fromEntries(json.members.map(([key, value]) => [key, plain(value)]));
  }
}

/** Where a JSON pointer of the server leads in the text; the nearest parent when the place itself is missing. */
export function place(parsed: Parsed, pointer: string): { from: number; to: number } {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (let length = path.length; length > 0; length -= 1) {
    const found = keyRange(parsed, path.slice(0, length));
    if (found) return found;
  }
  return { from: 0, to: 0 };
}

function keyRange(parsed: Parsed, path: string[]): { from: number; to: number } | undefined {
  const parent = path.length > 1 ? parsed.document.getIn(path.slice(0, -1).map(index), true) : parsed.document.contents;
  const last = path.at(-1) ?? '';
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isPair(item) && keyOf(item.key) === last);
    const range = pair && isScalar(pair.key) ? pair.key.range : undefined;
    if (range) return { from: range[0], to: range[1] };
  }
  if (isSeq(parent)) {
    const item = parent.items[Number(last)];
    const range = item && typeof item === 'object' && 'range' in item ? (item.range as [number, number, number] | undefined) : undefined;
    if (range) return { from: range[0], to: range[1] };
  }
  return undefined;
}

function index(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

/** Reads a value of the file; `undefined` where there is none. */
export function at(value: Record<string, unknown> | undefined, path: Path): unknown {
  let found: unknown = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}
