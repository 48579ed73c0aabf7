/** CodeMirror, set up for job files. Arrives with the editor page and not before. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { EditorView, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { config } from '@/lib/config';
import { type FileSchema, pathAt } from './schema';

/** Colours are tokens: dark mode needs nothing here. */
const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '0.8125rem', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { color: 'var(--ink-3)', backgroundColor: 'var(--surface)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--ink)', backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--raised)', border: '1px solid var(--line-2)', borderRadius: 'var(--r-m)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--ink)', backgroundColor: 'var(--accent-soft)' },
  '.cm-completionInfo': { maxWidth: '22rem', fontFamily: 'var(--font)' },
  // In place of a glyph that few fonts have.
  '.cm-collapsedLines': { color: 'var(--ink-3)', background: 'var(--sunken)', '&:before, &:after': { content: '"⋯"' } },
  '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '.cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 9%, transparent) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-soft) !important' },
  '.cm-changedText, .cm-insertedLine': { background: 'color-mix(in srgb, var(--good) 15%, transparent) !important' },
  '.cm-deletedText': { background: 'color-mix(in srgb, var(--danger) 15%, transparent) !important' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--brass)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.meta], color: 'var(--ink-2)' },
]);

/** Keys and values that a schema knows, with what they mean. */
const completing = (schema: FileSchema) => (context: CompletionContext) => {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const value = /^[\s-]*([\w.-]+):\s+([\w-]*)$/.exec(before);
  const key = /^[\s-]*([\w.-]*)$/.exec(before);
  if (!value && !key) return null;
  const typed = value?.[2] ?? key?.[1] ?? '';
  if (typed === '' && !context.explicit) return null;
  const lines = context.state.doc.toJSON();
  const path = pathAt(lines, line.number - 1);
  const found = value ? schema.valuesAt([...path, value[1] ?? '']) : schema.keysAt(path);
  const options = found.map(({ word, about }) => ({ label: word, info: about || undefined, apply: value ? word : `${word}: ` }));
  return options.length === 0 ? null : { from: context.pos - typed.length, options, validFor: /^[\w-]*$/ };
};

/** What every text has, of whichever language. */
const plain: Extension = [
  config.nonce ? EditorView.cspNonce.of(config.nonce) : [],
  lineNumbers(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
];

/** What a comparison has, of files in YAML where no other colours are given. */
export const compared = (colours: Extension = yaml()): Extension => [plain, colours];

/** What every text has that is edited. */
const edited: Extension = [
  plain,
  foldGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  dropCursor(),
  indentOnInput(),
  indentUnit.of('  '),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  search({ top: true }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
];

/** A text that is edited, of a kind of file. */
export const editing = (schema: FileSchema): Extension => [edited, yaml(), lintGutter(), autocompletion({ override: [completing(schema)] })];

/** A script that is edited. */
export const writing: Extension = edited;
