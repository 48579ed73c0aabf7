import { Annotation, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import editor from '../editor/Editor.module.css';
import { writing } from '../editor/codemirror';
import { colouring } from './languages';
import type { Language } from './queries';

/** Marks what comes from outside: nobody has typed it. */
const handedIn = Annotation.define<true>();

/** A script as text whose lines end with line feeds; tells what people change in it. Escape, then Tab, leaves it by keyboard. */
export function ScriptEditor({ label, text, language, onChange }: { label: string; text: string; language: Language; onChange: (text: string) => void }) {
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
          writing,
          colouring(language),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((each) => each.annotation(handedIn))) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    created.scrollDOM.tabIndex = 0;
    view.current = created;
    return () => created.destroy();
  }, [label, language]);

  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text }, annotations: handedIn.of(true) });
  }, [text]);

  return <div ref={host} className={editor.yaml} />;
}
