import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { useEffect, useMemo } from 'react';
import css from './Editor.module.css';
import { editing } from './codemirror';
import type { FileSchema } from './schema';
import { useTextEditor } from './useTextEditor';

export interface Mark {
  from: number;
  to: number;
  message: string;
  severity: 'error' | 'warning';
}

/** A file as text, with what its schema knows. Escape, then Tab, leaves it by keyboard. */
export function YamlEditor({ label, text, schema, onChange, marks }: { label: string; text: string; schema: FileSchema; onChange: (text: string) => void; marks: readonly Mark[] }) {
  const extension = useMemo(() => editing(schema), [schema]);
  const { host, view } = useTextEditor({ label, text, extension, onChange });

  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const end = current.state.doc.length;
    const diagnostics: Diagnostic[] = marks
      .map((mark) => ({ ...mark, from: Math.min(mark.from, end), to: Math.min(mark.to, end) }))
      .sort((a, b) => a.from - b.from);
    current.dispatch(setDiagnostics(current.state, diagnostics));
  }, [marks, text, view]);

  return <div ref={host} className={css.yaml} />;
}
