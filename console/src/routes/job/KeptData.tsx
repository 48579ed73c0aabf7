import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eraser, Pencil } from 'lucide-react';
import { useState } from 'react';
import { api, ask, exactText, send } from '@/api/client';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { Loaded } from '@/components/Feedback';
import { Field, TextArea } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { Instant } from '@/components/Instant';
import { JsonView } from '@/components/JsonView';
import { Panel } from '@/components/Page';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { type Json, member, parseExact, printExact } from '@/lib/json';
import css from './Job.module.css';
import type { Job } from './queries';

const PATH = '/api/v1/namespaces/{namespace}/jobs/{job}/data';

const keptQuery = ({ namespace, name }: Job) => ({
  queryKey: ['job-data', namespace, name],
  queryFn: async ({ signal }: { signal: AbortSignal }) => parseExact(await exactText(fillPath(PATH, { namespace, job: name }), signal)),
  meta: { topics: [`job:${namespace}/${name}`], every: 2000 },
});

const textOf = (json: Json, name: string) => {
  const found = member(json, name);
  return found?.kind === 'string' ? found.value : found?.kind === 'number' ? found.text : undefined;
};

/** What a job hands from one run to the next: it is shown, set and cleared. */
export function KeptData({ job }: { job: Job }) {
  const t = useT();
  const query = useQuery(keptQuery(job));
  return (
    <Panel title={t.jobDetail.data}>
      <Loaded query={query} what={t.jobDetail.data}>
        {(json) => <Kept job={job} json={json} />}
      </Loaded>
    </Panel>
  );
}

function Kept({ job, json }: { job: Job; json: Json }) {
  const t = useT();
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const path = { namespace: job.namespace, job: job.name };
  const data: Json = member(json, 'data') ?? { kind: 'object', members: [] };
  const run = textOf(json, 'run');
  const changed = textOf(json, 'changed_at');
  const revision = textOf(json, 'revision') ?? '0';
  const done = (text: string) => {
    toast({ tone: 'good', text });
    return client.invalidateQueries({ queryKey: keptQuery(job).queryKey });
  };
  const clear = useMutation({
    mutationFn: () => ask(api.DELETE('/api/v1/namespaces/{namespace}/jobs/{job}/data', { params: { path, header: { 'If-Match': `"${revision}"` } } })),
    onSuccess: () => done(t.jobDetail.dataCleared),
    onError: (error) => toastError(t.jobDetail.dataClear, error),
  });
  const clearing: Command = { cli: ['job', 'data', 'clear', `${job.namespace}/${job.name}`], http: { method: 'DELETE', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/data', path) } };
  return (
    <>
      <JsonView json={data} open={2} />
      <div className={css.kept}>
        <span className={css.quiet}>
          {changed ? <Instant at={changed} relative /> : t.jobDetail.dataNever}
          {run && (
            <Link to="/ns/$ns/runs/$run" params={{ ns: job.namespace, run }}>
              {t.jobDetail.dataRun}
            </Link>
          )}
        </span>
        <span>
          <Button size="s" icon={Pencil} onClick={() => setEditing(true)}>
            {t.jobDetail.dataSet}
          </Button>
          <Button
            size="s"
            icon={Eraser}
            busy={clear.isPending}
            onClick={() => void confirm({ title: t.jobDetail.dataClearTitle, text: t.jobDetail.dataClearText, action: t.jobDetail.dataClear, tone: 'danger', command: clearing }).then((yes) => yes && clear.mutate())}
          >
            {t.jobDetail.dataClear}
          </Button>
        </span>
      </div>
      {editing && <SetData job={job} data={data} revision={revision} onDone={() => void done(t.jobDetail.dataSaved)} onClose={() => setEditing(false)} />}
    </>
  );
}

/** Sets what the next run is given. What somebody else has changed meanwhile is not overwritten. */
function SetData({ job, data, revision, onDone, onClose }: { job: Job; data: Json; revision: string; onDone: () => void; onClose: () => void }) {
  const t = useT();
  const [text, setText] = useState(() => printExact(data));
  const client = useQueryClient();
  const [known, setKnown] = useState(revision);
  const path = fillPath(PATH, { namespace: job.namespace, job: job.name });
  const save = useMutation({
    // As text: numbers keep every digit.
    mutationFn: (known: string) => send({ method: 'PUT', path, body: text, headers: { 'if-match': `"${known}"` } }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  const find = async () => {
    const now = await client.fetchQuery({ ...keptQuery(job), staleTime: 0 });
    const [theirs, revision] = [printExact(member(now, 'data') ?? { kind: 'object', members: [] }), textOf(now, 'revision') ?? '0'];
    const take = () => {
      setText(theirs);
      setKnown(revision);
      save.reset();
    };
    return { text: theirs, take, replace: () => save.mutate(revision) };
  };
  const isObject = readsAsObject(text);
  return (
    <FormDialog
      onClose={onClose}
      title={t.jobDetail.data}
      description={t.jobDetail.dataText}
      action={t.common.save}
      ready={isObject}
      command={{ cli: ['job', 'data', 'set', `${job.namespace}/${job.name}`, text, '--revision', known], http: { method: 'PUT', path, text } }}
      busy={save.isPending}
      onSubmit={() => save.mutate(known)}
      error={save.error}
      rival={{ mine: text, find }}
    >
      <Field label={t.jobDetail.dataJson} error={isObject ? undefined : t.jobDetail.notObject}>
        {(field) => <TextArea {...field} mono rows={10} value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

function readsAsObject(text: string): boolean {
  try {
    return parseExact(text).kind === 'object';
  } catch {
    return false;
  }
}
