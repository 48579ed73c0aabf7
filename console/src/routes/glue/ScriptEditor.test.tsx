import { EditorView } from '@codemirror/view';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { ScriptEditor } from './ScriptEditor';

test('only what people change is told', () => {
  (globalThis as Record<string, unknown>).IS_REACT_ACT_ENVIRONMENT = true;
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const told = vi.fn();
  const show = (text: string) => act(() => root.render(<ScriptEditor label="Script" text={text} language="shell" onChange={told} />));
  show('a\n');
  show('b\n');
  const view = EditorView.findFromDOM(host.querySelector('.cm-editor') as HTMLElement);
  expect(view?.state.doc.toString()).toBe('b\n');
  expect(told).not.toHaveBeenCalled();
  act(() => view?.dispatch({ changes: { from: 0, insert: 'a' } }));
  expect(told).toHaveBeenCalledExactlyOnceWith('ab\n');
  act(() => root.unmount());
});
