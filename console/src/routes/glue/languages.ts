/** Colours of the languages of scripts. Arrives with the page of a script and not before. */
import { StreamLanguage, type StreamParser } from '@codemirror/language';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import { javascript } from '@codemirror/legacy-modes/mode/javascript';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { python } from '@codemirror/legacy-modes/mode/python';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import type { Extension } from '@codemirror/state';
import type { Language } from './queries';

// There is none for PHP that is small.
const parsers: Partial<Record<Language, StreamParser<unknown>>> = { groovy, shell, python, python2: python, node: javascript, powershell: powerShell };
const made = new Map<Language, Extension>();

/** What colours a language; nothing for those without. The same for the same language, so that editors stay. */
export function colouring(language: Language): Extension {
  const parser = parsers[language];
  const extension = made.get(language) ?? (parser ? StreamLanguage.define(parser) : []);
  made.set(language, extension);
  return extension;
}
