import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Pause, Save, TriangleAlert, Zap } from 'lucide-react';
import { Suspense, lazy, useEffect, useMemo, useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { asApiError } from '@/api/problem';
import { ActionBar } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { Dialog } from '@/components/Dialog';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Page, Panel } from '@/components/Page';
import { Segments } from '@/components/Segments';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { type Command, fillPath } from '@/lib/commands';
import type { WorkflowSearch } from '../workflow/WorkflowView';
import { CheckList } from './CheckList';
import { DiffView } from './DiffView';
import css from './Editor.module.css';
import { JobForm } from './JobForm';
import { KindSwitch } from './KindSwitch';
import { SchedulePreview } from './SchedulePreview';
import { YamlEditor } from './YamlEditor';
import { change, parse, toJson } from './document';
import { dropDraft, keepDraft, readDraft } from './draft';
import { jobSchema } from './jobSchema';
import { type Stored, putJob, storedQuery } from './queries';
import { editorModes } from './routes';
import { forPreview, readEntries, tasksOf } from './schedule';
import { type Checks, useChecks } from './useChecks';

// Only workflows have a graph.
const WorkflowView = lazy(() => import('../workflow/WorkflowView').then((module) => ({ default: module.WorkflowView })));

const TEMPLATE = `name: my-job
description: ""
schedule: "0 9 * * 1-5"
run: |
  echo "hello"
`;

/** Writes a new job, or changes one that exists. */
export function EditorPage() {
  const { ns = 'default', job } = useParams({ strict: false });
  const { from } = useSearch({ strict: false }) as { from?: string };
  const source = job ?? from;
  const query = useQuery({ ...storedQuery(ns, source ?? ''), enabled: source !== undefined });
  if (source === undefined) return <Editor key="new" ns={ns} job={undefined} stored={{ text: TEMPLATE, version: 0 }} />;
  return (
    <Loaded query={query} what={source}>
      {(stored) =>
        job ? (
          <Editor key={job} ns={ns} job={job} stored={stored} />
        ) : (
          <Editor key="copy" ns={ns} job={undefined} stored={{ text: change(stored.text, ['name'], `${source}-copy`), version: 0 }} />
        )
      }
    </Loaded>
  );
}

interface Conflict {
  theirs: Stored;
  retry: (version: number) => void;
}

function Editor({ ns, job, stored }: { ns: string; job: string | undefined; stored: Stored }) {
  const t = useT();
  const formats = useFormats();
  const navigate = useNavigate();
  const client = useQueryClient();
  const search = useSearch({ strict: false }) as { mode?: (typeof editorModes)[number] } & WorkflowSearch;
  const draftName = job ?? '';
  const [text, setText] = useState(stored.text);
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(() => {
    const kept = readDraft(ns, draftName);
    return kept && kept.text !== stored.text ? kept : undefined;
  });
  const [reviewing, setReviewing] = useState(false);
  const [conflict, setConflict] = useState<Conflict>();
  const [busy, setBusy] = useState(false);
  const checks = useChecks(ns, text);
  const file = checks.parsed.value;
  const tasks = useMemo(() => tasksOf(file), [file]);
  const modes = editorModes.filter((each) => each !== 'graph' || tasks);
  const mode = modes.find((each) => each === search.mode) ?? 'form';
  const set = (next: object) => void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, ...next }), replace: true } as never);
  const isChanged = text !== base.text;

  useEffect(() => {
    if (isChanged) keepDraft(ns, draftName, { text, version: base.version, at: serverNow() });
  }, [ns, draftName, text, base.version, isChanged]);

  const [isLeaving, setLeaving] = useState(false);
  useBlocker({
    disabled: !isChanged || isLeaving,
    enableBeforeUnload: () => isChanged && !isLeaving,
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      return (await confirm({ title: t.editor.leaveTitle, text: t.editor.leaveText, action: t.editor.leave })) === undefined;
    },
  });

  const save = async (how: 'plain' | 'paused' | 'run', version: number) => {
    const file = how === 'paused' ? change(text, ['paused'], true) : text;
    const parsed = checks.parsed;
    if (parsed.value === undefined || checks.name === '') return;
    setBusy(true);
    const name = job ?? checks.name;
    try {
      const json = how === 'paused' ? toJson(parse(file)) : toJson(parsed);
      const saved = await putJob({ namespace: ns, job: name, json, version, dryRun: false });
      if (how === 'run') {
        await ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/run', { params: { path: { namespace: ns, job: name }, header: { 'Idempotency-Key': idempotencyKey() } }, body: {} }));
      }
      dropDraft(ns, draftName);
      setLeaving(true);
      setReviewing(false);
      toast({ text: how === 'run' ? t.editor.savedAndRun(name) : t.editor.saved(name, formats.number(saved.version)) });
      for (const key of ['job', 'jobs', 'job-file', 'triggers']) void client.invalidateQueries({ queryKey: [key] });
      await navigate({ to: '/ns/$ns/jobs/$job', params: { ns, job: name }, ignoreBlocker: true });
    } catch (error) {
      const problem = asApiError(error);
      if (problem.isStale) {
        try {
          const theirs = await client.fetchQuery({ ...storedQuery(ns, name), staleTime: 0 });
          setReviewing(false);
          setConflict({ theirs, retry: (newer) => void save(how, newer) });
        } catch (second) {
          toastError(t.errors.action(t.editor.save), second);
        }
      } else toastError(t.errors.action(t.editor.save), error);
    } finally {
      setBusy(false);
    }
  };

  const title = job ? t.editor.editTitle(job) : t.editor.newTitle;
  const blocked = checks.isValid ? undefined : (checks.problems[0]?.message ?? (checks.busy ? t.editor.checking : t.editor.needsName));
  const command: Command = {
    cli: ['apply', '-f', `${checks.name || 'job'}.yaml`, '-n', ns],
    http: { method: 'PUT', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}', { namespace: ns, job: checks.name || 'job' }), body: checks.parsed.value ? (JSON.parse(toJson(checks.parsed)) as unknown) : {} },
  };
  // Whatever comes after the save is a command of its own.
  const after = (verb: 'pause' | 'run'): Command => {
    const [name, path] = [checks.name || 'job', { namespace: ns, job: checks.name || 'job' }];
    if (verb === 'pause') return { cli: ['job', 'pause', `${ns}/${name}`], http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/pause', path), body: {} } };
    return { cli: ['run', 'start', `${ns}/${name}`], http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/run', path), body: {} } };
  };
  return (
    <Page
      title={title}
      fill
      trail={
        <Link to="/ns/$ns/jobs" params={{ ns }}>
          {t.jobs.title}
        </Link>
      }
      facts={
        <>
          {!job && <KindSwitch ns={ns} kind="job" />}
          <Segments label={t.editor.mode} options={modes.map((each) => [each, { form: t.editor.form, yaml: t.editor.yaml, graph: t.workflow.views.graph }[each]] as const)} value={mode} onChange={(next) => set({ mode: next })} />
        </>
      }
      actions={
        <ActionBar
          actions={[
            job
              ? { id: 'save', label: t.editor.review, icon: Save, tone: 'primary', run: () => setReviewing(true), disabledReason: isChanged ? blocked : t.editor.nothingChanged, busy, command }
              : { id: 'save', label: t.editor.save, icon: Save, tone: 'primary', run: () => void save('plain', 0), disabledReason: blocked, busy, command },
            ...(job ? [] : [{ id: 'paused', label: t.editor.savePaused, icon: Pause, command: [command, after('pause')], run: () => void save('paused', 0), disabledReason: blocked }]),
            ...(job ? [] : [{ id: 'run', label: t.editor.saveRun, icon: Zap, command: [command, after('run')], run: () => void save('run', 0), disabledReason: blocked }]),
          ]}
        />
      }
    >
      {draft && (
        <div className={css.draft} role="status">
          <span>
            {t.editor.draftTitle} {t.editor.draftFrom} <Instant at={new Date(draft.at).toISOString()} relative focusable />
          </span>
          <Button
            size="s"
            onClick={() => {
              setText(draft.text);
              setDraft(undefined);
            }}
          >
            {t.editor.draftUse}
          </Button>
          <Button
            size="s"
            tone="quiet"
            onClick={() => {
              dropDraft(ns, draftName);
              setDraft(undefined);
            }}
          >
            {t.editor.draftDrop}
          </Button>
        </div>
      )}
      <div className={css.columns}>
        <div className={css.left}>
          {mode === 'yaml' ? (
            <YamlEditor schema={jobSchema} label={t.editor.file} text={text} onChange={setText} marks={checks.marks} />
          ) : mode === 'graph' && tasks ? (
            <div className={css.graph}>
              <Suspense fallback={<Skeleton lines={10} />}>
                <WorkflowView namespace={ns} tasks={tasks} search={search} onSearch={set} />
              </Suspense>
            </div>
          ) : checks.parsed.value ? (
            <JobForm value={checks.parsed.value} problems={checks.byPointer} isNew={job === undefined} onChange={(path, value) => setText((before) => change(before, path, value))} />
          ) : (
            <p className={css.bad}>
              <TriangleAlert size={14} aria-hidden="true" /> {checks.parsed.errors.length > 0 ? t.editor.syntax : t.editor.notMapping}
            </p>
          )}
        </div>
        <div className={css.right}>
          <Panel title={t.editor.checks} aside={checks.busy ? t.editor.checking : undefined}>
            <CheckList checks={checks} />
          </Panel>
          <Panel title={t.editor.fires}>
            <Previews ns={ns} checks={checks} />
          </Panel>
        </div>
      </div>
      <Dialog
        open={reviewing}
        onClose={() => setReviewing(false)}
        title={t.editor.reviewTitle}
        width="l"
        footer={
          <>
            <Button onClick={() => setReviewing(false)}>{t.common.cancel}</Button>
            <Button icon={Pause} onClick={() => void save('paused', base.version)} busy={busy}>
              {t.editor.savePaused}
            </Button>
            <Button icon={Zap} onClick={() => void save('run', base.version)} busy={busy}>
              {t.editor.saveRun}
            </Button>
            <Button tone="primary" icon={Save} onClick={() => void save('plain', base.version)} busy={busy}>
              {t.editor.save}
            </Button>
          </>
        }
      >
        <DiffView before={base.text} after={text} beforeLabel={t.editor.stored(formats.number(base.version))} afterLabel={t.editor.yours} />
      </Dialog>
      {conflict && (
        <Dialog
          open
          onClose={() => setConflict(undefined)}
          title={job ? t.editor.staleTitle : t.editor.existsTitle}
          description={t.editor.staleText}
          width="l"
          footer={
            <>
              <Button onClick={() => setConflict(undefined)}>{t.common.cancel}</Button>
              <Button
                onClick={() => {
                  setText(conflict.theirs.text);
                  setBase(conflict.theirs);
                  setConflict(undefined);
                }}
              >
                {t.editor.takeTheirs}
              </Button>
              <Button
                tone="danger"
                onClick={() => {
                  setBase(conflict.theirs);
                  setConflict(undefined);
                  conflict.retry(conflict.theirs.version);
                }}
              >
                {t.editor.overwrite}
              </Button>
            </>
          }
        >
          <DiffView before={conflict.theirs.text} after={text} beforeLabel={t.editor.stored(formats.number(conflict.theirs.version))} afterLabel={t.editor.yours} />
        </Dialog>
      )}
    </Page>
  );
}

function Previews({ ns, checks }: { ns: string; checks: Checks }) {
  const t = useT();
  const formats = useFormats();
  const file = checks.parsed.value ?? {};
  const entries = readEntries(file);
  if (entries.length === 0) return <p className={css.quiet}>{t.editor.noFires}</p>;
  return (
    <>
      {entries.slice(0, 5).map((entry, index) => (
        <SchedulePreview
          key={index}
          namespace={ns}
          trigger={forPreview(file, entry)}
          title={entries.length > 1 ? (typeof entry.name === 'string' ? entry.name : t.editor.trigger(formats.number(index + 1))) : undefined}
        />
      ))}
    </>
  );
}
