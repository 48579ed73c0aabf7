import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { Play, Save } from 'lucide-react';
import { useState } from 'react';
import { ActionBar } from '@/components/ActionBar';
import { Page } from '@/components/Page';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { toJson } from '../editor/document';
import { KindSwitch } from '../editor/KindSwitch';
import { useChecks } from '../editor/useChecks';
import { FlowEditor, flowFile } from './FlowEditor';
import { FLOW, changeFlow, putFlow } from './queries';
import { newFlowRoute } from './routes';

const TEMPLATE = `flow: orders
description: ""
components:
  order:
    generate: {payload: "3 apples", attributes: {kind: fruit}}
    schedule: 2 sec
  work:
    run: |
      letters=$(wc -c)
      echo "{\\"attributes\\": {\\"letters\\": \\"$letters\\"}}" >> "$MS_ITEMS"
    event: true
    end: failure
  log:
    log: {message: "\${{ attributes.kind }} of \${{ attributes.letters }} letters"}
    end: success
connections:
  - {from: order, to: work}
  - {from: work, to: log, max_items: 100}
`;

/** Writes a new flow, beginning with one that works. */
export function NewFlowPage() {
  const t = useT();
  const { ns } = newFlowRoute.useParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [text, setText] = useState(TEMPLATE);
  const checks = useChecks(ns, text, flowFile);
  const save = useMutation({
    mutationFn: async (start: boolean) => {
      const saved = await putFlow(ns, checks.name, toJson(checks.parsed), 0);
      return start ? changeFlow(ns, saved.name, 'start') : saved;
    },
    onSuccess: async (saved) => {
      void client.invalidateQueries({ queryKey: ['flows'] });
      toast({ tone: 'good', text: t.flows.made(saved.name) });
      await navigate({ to: '/ns/$ns/flows/$flow', params: { ns, flow: saved.name }, ignoreBlocker: true });
    },
    onError: (error) => toastError(t.errors.action(t.editor.save), error),
  });
  const isChanged = text !== TEMPLATE && !save.isSuccess;
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: () => isChanged,
    shouldBlockFn: async () => (await confirm({ title: t.editor.leaveTitle, text: t.flows.leaveText, action: t.editor.leave })) === undefined,
  });
  const blocked = checks.isValid ? undefined : (checks.problems[0]?.message ?? (checks.busy ? t.editor.checking : t.flows.needsName));
  const command = {
    cli: ['flow', 'apply', '-f', `${checks.name || 'flow'}.yaml`],
    http: { method: 'PUT' as const, path: fillPath(FLOW, { namespace: ns, flow: checks.name || 'flow' }), body: checks.parsed.value ? (JSON.parse(toJson(checks.parsed)) as unknown) : {} },
  };
  return (
    <Page
      title={t.flows.create}
      fill
      facts={<KindSwitch ns={ns} kind="flow" />}
      trail={
        <Link to="/ns/$ns/flows" params={{ ns }}>
          {t.shell.flows}
        </Link>
      }
      actions={
        <ActionBar
          actions={[
            { id: 'start', label: t.flows.saveAndStart, icon: Play, tone: 'primary', run: () => save.mutate(true), disabledReason: blocked, busy: save.isPending, command: { ...command, cli: [...command.cli, '--start'] } },
            { id: 'save', label: t.editor.save, icon: Save, run: () => save.mutate(false), disabledReason: blocked, busy: save.isPending, command },
          ]}
        />
      }
    >
      <FlowEditor text={text} checks={checks} onChange={setText}>
        {null}
      </FlowEditor>
    </Page>
  );
}
