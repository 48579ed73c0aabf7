/** What is written of a script, and what it was begun from. Pure. */
import { asEdited, asKept } from './lines';
import type { Stored } from './queries';

export interface Written {
  /** As the editor has it. */
  text: string;
  /** What it was begun from: the first key decides, whatever others save later. */
  base: Stored;
}

/** What is written after a change. Nothing once it is what it was begun from. */
export function write(before: Written | undefined, now: Stored, text: string): Written | undefined {
  const base = before?.base ?? now;
  return text === asEdited(base.source) ? undefined : { text, base };
}

/** Whether others have saved another script since the first key; another change of the job is none of it. */
export function isOvertaken({ base }: Written, now: Omit<Stored, 'version'>): boolean {
  return base.source !== now.source || base.language !== now.language;
}

/** What a save sends: line ends as they were. */
export function toSave({ text, base }: Written): Stored {
  return { ...base, source: asKept(text, base.source) };
}

/** The same text, to replace what others have saved. */
export function over({ text, base }: Written, theirs: Stored): Written {
  return { text, base: { ...theirs, language: base.language } };
}
