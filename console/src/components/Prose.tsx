import { Fragment, type ReactNode } from 'react';
import { Instant } from './Instant';

/** Marks of a text: `code`, and instants as the server writes them. */
const marks = /`([^`]+)`|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/g;

/** A text in which words between backticks are code, and instants are in the reader's zone. */
export function Prose({ text, zone }: { text: string; zone?: string | null | undefined }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    parts.push(text.slice(end, match.index), match[1] ? <code>{match[1]}</code> : <Instant at={match[2]} zone={zone} focusable />);
    end = match.index + match[0].length;
  }
  return (
    <>
      {[...parts, text.slice(end)].map((part, index) => (
        <Fragment key={index}>{part}</Fragment>
      ))}
    </>
  );
}

/** Whether a text tells an instant itself. */
export function tells(text: string, at: string | null | undefined): boolean {
  return at != null && [...text.matchAll(marks)].some(([, , found]) => found !== undefined && Date.parse(found) === Date.parse(at));
}
