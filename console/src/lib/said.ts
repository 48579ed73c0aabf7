/** What the server says, in another language: by code, with the values that stand in it. What is not known stays as it was said. Pure. */
import { NOT_PROBLEM, NO_ANSWER } from '@/api/problem';

/** How a sentence reads, and what it means; `{name}` in the second is the group of that name in the first. */
export type Sentence = readonly [reads: RegExp, means: string];

export interface Sentences {
  /** Sentences by the code that goes with them. */
  byCode: Readonly<Record<string, readonly Sentence[]>>;
  /** What may follow a sentence behind a semicolon, whatever its code is. */
  after: readonly Sentence[];
  /** Words that stand in place of values, such as states. */
  words: Readonly<Record<string, string>>;
  /** Stands between a sentence and what follows. */
  joint: string;
}

function first(sentences: readonly Sentence[], text: string, words: Sentences['words']): string | undefined {
  for (const [reads, means] of sentences) {
    const groups = reads.exec(text)?.groups ?? (reads.test(text) ? {} : undefined);
    if (groups) return means.replace(/\{(\w+)\}/g, (_, name: string) => words[groups[name] ?? ''] ?? groups[name] ?? '');
  }
  return undefined;
}

/** Says a sentence of the server in another language, or as it is. */
export function say({ byCode, after, words, joint }: Sentences, code: string, text: string): string {
  const sentences = byCode[code];
  if (!sentences) return text;
  const whole = first(sentences, text, words);
  if (whole !== undefined) return whole;
  // From the end: what follows is short and known, and the sentence itself may have semicolons.
  const at = text.lastIndexOf('; ');
  if (at < 0) return text;
  const [head, tail] = [text.slice(0, at), text.slice(at + 2)];
  const followed = first(after, tail, words);
  const begun = say({ byCode, after, words, joint }, code, head);
  return followed === undefined || begun === head ? text : `${begun}${joint}${followed}`;
}

/** A wording in which `{name}` stands for a value, as what it matches. */
function pattern(wording: string): RegExp {
  const parts = wording.split(/\{(\w+)\}/);
  const source = parts.map((part, index) => (index % 2 === 1 ? `(?<${part}>.+?)` : part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')));
  return new RegExp(`^${source.join('')}$`);
}

const patterns = new WeakMap<object, readonly Sentence[]>();

/** Says advice of the server in another language, by its wording, or as it is. */
export function advise(wordings: Readonly<Record<string, string>>, text: string): string {
  let known = patterns.get(wordings);
  if (!known) {
    known = Object.entries(wordings).map(([wording, means]) => [pattern(wording), means] as const);
    patterns.set(wordings, known);
  }
  return first(known, text, {}) ?? text;
}

/** What the console says itself: where no answer came, or one that the server does not send. The browser's words for that are no help. */
export function unanswered(words: { noAnswer: string; unexpected: (status: string) => string }, code: string, text: string): string | undefined {
  if (code === NO_ANSWER) return words.noAnswer;
  return code === NOT_PROBLEM ? words.unexpected(/HTTP (\d+)/.exec(text)?.[1] ?? text) : undefined;
}
