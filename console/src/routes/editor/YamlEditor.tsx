import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import css from './Editor.module.css';
import { editing } from './codemirror';
import type { FileSchema } from './schema';

export interface Mark {
  from: number;
  to: number;
  message: string;
  severity: 'error' | 'warning';
}

/** A file as text, with what its schema knows. Escape, then Tab, leaves it by keyboard. */
export function YamlEditor({ label, text, schema, onChange, marks }: { label: string; text: string; schema: FileSchema; onChange: (text: string) => void; marks: readonly Mark[] }) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;

  useEffect(() => {
    const created = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: text,
        extensions: [
          editing(schema),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    // Keys scroll a long text, too.
    created.scrollDOM.tabIndex = 0;
    view.current = created;
    return () => created.destroy();
    // The text is only what it begins with; later changes are handed in below.
  }, [label, schema]);

  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const end = current.state.doc.length;
    const diagnostics: Diagnostic[] = marks
      .map((mark) => ({ ...mark, from: Math.min(mark.from, end), to: Math.min(mark.to, end) }))
      .sort((a, b) => a.from - b.from);
    current.dispatch(setDiagnostics(current.state, diagnostics));
  }, [marks, text]);

  return <div ref={host} className={css.yaml} />;
}
