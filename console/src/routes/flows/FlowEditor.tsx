import type { ReactNode } from 'react';
import { Panel } from '@/components/Page';
import { useT } from '@/i18n';
import { CheckList } from '../editor/CheckList';
import editor from '../editor/Editor.module.css';
import { YamlEditor } from '../editor/YamlEditor';
import { type Checks, type FileKind, refused } from '../editor/useChecks';
import { flowSchema } from './flowSchema';
import { checkFlow } from './queries';

/** Files that hold one flow. */
export const flowFile: FileKind = {
  key: 'flow',
  check: async (namespace, name, json, signal) => {
    try {
      const { errors, warnings } = await checkFlow(namespace, name, json, signal);
      return { problems: errors, warnings };
    } catch (error) {
      return refused(error);
    }
  },
};

/** The text of a flow, and what the server says about it. */
export function FlowEditor({ text, checks, onChange, children }: { text: string; checks: Checks; onChange: (text: string) => void; children: ReactNode }) {
  const t = useT();
  return (
    <div className={editor.columns}>
      <div className={editor.left}>
        <YamlEditor label={t.flows.file} text={text} schema={flowSchema} onChange={onChange} marks={checks.marks} />
      </div>
      <div className={editor.right}>
        <Panel title={t.editor.checks} aside={checks.busy ? t.editor.checking : undefined}>
          <CheckList checks={checks} />
        </Panel>
        {children}
      </div>
    </div>
  );
}
