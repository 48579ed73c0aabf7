import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { Save } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { ApiError, asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import { Dialog } from '@/components/Dialog';
import { Loaded } from '@/components/Feedback';
import { Overtaken } from '@/components/Overtaken';
import { Panel } from '@/components/Page';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { DiffView } from '../editor/DiffView';
import { toJson } from '../editor/document';
import { useChecks } from '../editor/useChecks';
import css from './Flows.module.css';
import { FlowEditor, flowFile } from './FlowEditor';
import { FLOW, type Flow, changeFlow, flowFileQuery, flowQuery, putFlow, readFlowFile } from './queries';

/** The file of a flow: checked as it is changed, and compared before it is saved. */
export function FlowFile({ flow }: { flow: Flow }) {
  const query = useQuery(flowFileQuery(flow.namespace, flow.name));
  return (
    <Loaded query={query} what={flow.name}>
      {(stored) => <Editing key={stored.version} flow={flow} stored={stored} />}
    </Loaded>
  );
}

/** How often a save is tried while bodies of a flow that was stopped come to their ends. */
const TRIES = 20;
const PAUSE_MS = 500;

type Stored = Awaited<ReturnType<typeof readFlowFile>>;

function Editing({ flow, stored }: { flow: Flow; stored: Stored }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const { namespace, name } = flow;
  const [text, setText] = useState(stored.text);
  const [base, setBase] = useState(stored);
  const [isOvertaken, setOvertaken] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const checks = useChecks(namespace, text, flowFile);
  const isChanged = text !== base.text;
  const running = flow.components.filter(({ state }) => state === 'running' || state === 'waiting_valid').map((component) => component.name);
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: () => isChanged,
    shouldBlockFn: async () => (await confirm({ title: t.editor.leaveTitle, text: t.flows.leaveText, action: t.editor.leave })) === undefined,
  });

  const save = useMutation({
    mutationFn: async (base: Stored) => {
      const json = toJson(checks.parsed);
      // Each start and stop counts as a version, too: whether somebody saved another text shows in what it says.
      const now = running.length > 0 ? await changeFlow(namespace, name, 'stop') : await ask(api.GET(FLOW, { params: { path: { namespace, flow: name } } }));
      if (JSON.stringify(now.spec) !== base.spec) throw new ApiError({ status: 412, code: 'resource.stale', detail: t.flows.changedMeanwhile });
      const saved = await patiently(() => putFlow(namespace, name, json, now.version), running.length > 0);
      const again = running.filter((component) => saved.components.some((each) => each.name === component));
      return again.length > 0 ? changeFlow(namespace, name, 'start', again) : saved;
    },
    onSuccess: (saved) => {
      client.setQueryData(flowQuery(namespace, name).queryKey, saved);
      client.setQueryData(flowFileQuery(namespace, name).queryKey, { text, version: saved.version, spec: JSON.stringify(saved.spec) });
      void client.invalidateQueries({ queryKey: ['flows'] });
      setReviewing(false);
      toast({ tone: 'good', text: t.flows.savedAs(formats.number(saved.version)) });
    },
    onError: (error) => {
      setReviewing(false);
      void client.invalidateQueries({ queryKey: ['flow', namespace, name] });
      if (asApiError(error).status === 412) setOvertaken(true);
      else toastError(t.errors.action(t.editor.save), error);
    },
  });
  /** Their version, read anew without the editor being drawn anew. */
  const find = async () => {
    const theirs = await readFlowFile(namespace, name);
    const go = (text: string) => {
      setText(text);
      setBase(theirs);
      setOvertaken(false);
    };
    return {
      text: theirs.text,
      take: () => go(theirs.text),
      replace: () => {
        go(text);
        save.mutate(theirs);
      },
    };
  };
  const blocked = checks.isValid ? undefined : (checks.problems[0]?.message ?? (checks.busy ? t.editor.checking : t.editor.needsName));
  return (
    <>
      <FlowEditor text={text} checks={checks} onChange={setText}>
        <Panel title={t.flows.saving}>
          <p className={css.quiet}>{running.length > 0 ? t.flows.savingStops(formats.number(running.length)) : t.flows.savingText}</p>
          <div className={css.saveBar}>
            <Button tone="primary" icon={Save} busy={save.isPending} disabledReason={isChanged ? blocked : t.editor.nothingChanged} onClick={() => setReviewing(true)}>
              {t.editor.review}
            </Button>
          </div>
        </Panel>
      </FlowEditor>
      <Dialog
        open={reviewing}
        onClose={() => setReviewing(false)}
        title={t.editor.reviewTitle}
        description={running.length > 0 ? t.flows.savingStops(formats.number(running.length)) : undefined}
        width="l"
        footer={
          <>
            <Button onClick={() => setReviewing(false)}>{t.common.cancel}</Button>
            <Button tone="primary" icon={Save} busy={save.isPending} onClick={() => save.mutate(base)}>
              {running.length > 0 ? t.flows.stopSaveStart : t.editor.save}
            </Button>
          </>
        }
      >
        <DiffView before={base.text} after={text} beforeLabel={t.editor.stored(formats.number(base.version))} afterLabel={t.editor.yours} />
      </Dialog>
      {isOvertaken && (
        <Dialog open onClose={() => setOvertaken(false)} title={t.flows.changedMeanwhile} width="l" footer={<Button onClick={() => setOvertaken(false)}>{t.common.cancel}</Button>}>
          <Overtaken mine={text} find={find} />
        </Dialog>
      )}
    </>
  );
}

/** Tries again while the flow is not at rest yet. */
async function patiently<T>(attempt: () => Promise<T>, again: boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!again || tries >= TRIES || asApiError(error).code !== 'flow.state') throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
