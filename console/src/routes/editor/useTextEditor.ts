import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';
import { useT } from '@/i18n';

/** Marks what comes from outside: nobody has typed it. */
const handedIn = Annotation.define<true>();

export interface TextEditor {
  label: string;
  text: string;
  /** What the editor knows. Another one makes another editor. */
  extension: Extension;
  /** Called with what people change. */
  onChange: (text: string) => void;
}

/** An editor of a text that its owner keeps. Escape, then Tab, leaves it by keyboard. */
export function useTextEditor({ label, text, extension, onChange }: TextEditor): { host: RefObject<HTMLDivElement | null>; view: RefObject<EditorView | undefined> } {
  const { phrases } = useT().editor;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };

  useEffect(() => {
    const created = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          extension,
          EditorState.phrases.of(phrases),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((each) => each.annotation(handedIn))) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    // Keys scroll a long text, too.
    created.scrollDOM.tabIndex = 0;
    view.current = created;
    return () => created.destroy();
  }, [label, extension, phrases]);

  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text }, annotations: handedIn.of(true) });
  }, [text]);

  return { host, view };
}
