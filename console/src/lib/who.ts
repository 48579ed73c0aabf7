/** Who did something, as the server notes it: a name that was given, and with what the caller was let in. */
const ways = {
  'the access token': 'token',
  'a session of the console': 'session',
  'a token of workers': 'worker',
} as const;

export type Way = (typeof ways)[keyof typeof ways];

export interface Who {
  /** The name that was given. */
  name: string | undefined;
  /** With what the caller was let in, where it is one of those that are known. */
  way: Way | undefined;
}

/** Reads `ann@laptop, with the access token`, or one of its halves. What reads otherwise is a name. */
export function whoOf(text: string): Who {
  const known = Object.entries(ways).find(([words]) => text === words || text.endsWith(`, with ${words}`));
  if (!known) return { name: text, way: undefined };
  const [words, way] = known;
  return { name: text === words ? undefined : text.slice(0, -`, with ${words}`.length), way };
}
