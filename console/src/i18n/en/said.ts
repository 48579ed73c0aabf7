import { unanswered } from '@/lib/said';
import { errors } from './errors';

/** A problem as the server tells it. */
export interface Told {
  code: string;
  message: string;
  hint?: string | null | undefined;
}

/** What the server says, by the code that goes with it. It speaks English itself. */
export const said = {
  say: (code: string, text: string) => unanswered(errors, code, text) ?? text,
  hint: (text: string) => text,
  /** Why a component of a flow does not run, or that it does. */
  flow: (text: string) => text,
  /** Why an attempt or a run failed: a code, and what it was. */
  failure: (text: string) => text,
  /** What a message of an alert is about. */
  subject: (text: string) => text,
  /** Why a message did not get through: a code, and what it was. */
  delivery: (text: string) => text,
  /** What is wrong and what to do, in one text. */
  both: ({ code, message, hint }: Told) => (hint ? `${message}. ${hint}` : (unanswered(errors, code, message) ?? message)),
};
