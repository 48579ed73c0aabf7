import { useMemo } from 'react';
import editor from '../editor/Editor.module.css';
import { writing } from '../editor/codemirror';
import { useTextEditor } from '../editor/useTextEditor';
import { colouring } from './languages';
import type { Language } from './queries';

/** A script as text whose lines end with line feeds; tells what people change in it. Escape, then Tab, leaves it by keyboard. */
export function ScriptEditor({ label, text, language, onChange }: { label: string; text: string; language: Language; onChange: (text: string) => void }) {
  const extension = useMemo(() => [writing, colouring(language)], [language]);
  const { host } = useTextEditor({ label, text, extension, onChange });
  return <div ref={host} className={editor.yaml} />;
}
