import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { useT } from '@/i18n';
import css from './Editor.module.css';
import { compared } from './codemirror';

/** Two texts side by side, with what differs. */
export function DiffView({ before, after, beforeLabel, afterLabel, colours }: { before: string; after: string; beforeLabel: string; afterLabel: string; colours?: Extension }) {
  const { phrases } = useT().editor;
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [compared(colours), EditorState.phrases.of(phrases), EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label })],
    });
    const view = new MergeView({
      parent: host.current as HTMLDivElement,
      a: side(before, beforeLabel),
      b: side(after, afterLabel),
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, beforeLabel, afterLabel, colours, phrases]);
  return (
    <div className={css.diff}>
      <div className={css.diffHeads}>
        <span>{beforeLabel}</span>
        <span>{afterLabel}</span>
      </div>
      <div ref={host} className={css.diffBody} />
    </div>
  );
}
