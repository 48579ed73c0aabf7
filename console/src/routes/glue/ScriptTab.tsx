import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { RotateCcw, Save } from 'lucide-react';
import { useState } from 'react';
import { asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { Dialog } from '@/components/Dialog';
import { FormDialog } from '@/components/FormDialog';
import { Loaded } from '@/components/Feedback';
import { Field, TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { DiffView } from '../editor/DiffView';
import job from '../job/Job.module.css';
import { type Job, jobQuery } from '../job/queries';
import { jobRoute } from '../job/routes';
import css from './Glue.module.css';
import { ScriptEditor } from './ScriptEditor';
import { colouring } from './languages';
import { asEdited } from './lines';
import { type GlueVersion, type Language, type Stored, glueCommand, glueVersionQuery, glueVersionsQuery, rollBack, saveGlue } from './queries';
import { type Written, isOvertaken, over, toSave, write } from './written';

/** What a remark holds at most, in characters. */
const REMARK_MAX = 128;

export interface Script {
  source: string;
  language: Language;
}

/** The script of a job of XXL-JOB: written, compared before it is saved with a remark, and brought back from its versions. */
export default function ScriptTab({ of, script }: { of: Job; script: Script }) {
  const t = useT();
  const versions = useQuery(glueVersionsQuery(of.namespace, of.name));
  const search = jobRoute.useSearch();
  const navigate = useNavigate();
  const shown = versions.data?.find(({ version, current }) => version === search.to && !current);
  const show = (version: number | undefined) => void navigate({ to: '.', search: (before) => ({ ...before, to: version }), replace: true });
  return (
    <div className={job.versions}>
      <Loaded query={versions} what={t.glue.versions}>
        {(items) => <VersionList items={items} shown={shown} onShow={show} />}
      </Loaded>
      {/* What is being written stays while a version is looked at. */}
      <div className={css.main}>
        {shown && <Old of={of} script={script} version={shown} onDone={() => show(undefined)} />}
        <div hidden={shown !== undefined}>
          <Writing of={of} script={script} />
        </div>
      </div>
    </div>
  );
}

function VersionList({ items, shown, onShow }: { items: readonly GlueVersion[]; shown: GlueVersion | undefined; onShow: (version: number | undefined) => void }) {
  const t = useT();
  const formats = useFormats();
  if (items.length === 0) return <p className={css.quiet}>{t.glue.none}</p>;
  return (
    <ol className={job.versionList} aria-label={t.glue.versions}>
      {items.map((item) => {
        const isShown = shown ? item.version === shown.version : item.current === true;
        return (
          <li key={item.version} data-shown={isShown || undefined}>
            <button type="button" aria-pressed={isShown} onClick={() => onShow(item.current ? undefined : item.version)}>
              <strong>{t.jobDetail.versions.versionOf(formats.number(item.version))}</strong>
              {item.current && <span className={job.currentWord}>{t.glue.current}</span>}
              {item.remark && <span>{item.remark}</span>}
              <span className={css.quiet}>
                {item.language} · {formats.bytes(item.bytes)} {item.by && `· ${item.by}`}
              </span>
              <Instant at={item.saved_at} date />
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** Keeps what a save has changed up to date. */
function useSaved(of: Job) {
  const client = useQueryClient();
  return () => Promise.all([client.invalidateQueries({ queryKey: jobQuery(of.namespace, of.name).queryKey }), client.invalidateQueries({ queryKey: ['glue', of.namespace, of.name] }), client.invalidateQueries({ queryKey: ['versions', of.namespace, of.name] })]);
}

/** The script that runs now, and what becomes of it. */
function Writing({ of, script }: { of: Job; script: Script }) {
  const t = useT();
  const formats = useFormats();
  const saved = useSaved(of);
  const client = useQueryClient();
  const [written, setWritten] = useState<Written>();
  const [reviewing, setReviewing] = useState(false);
  const [conflict, setConflict] = useState<Stored>();
  const [remark, setRemark] = useState('');
  const now: Stored = { ...script, version: of.version };
  const { source, language } = written?.base ?? now;
  const text = written?.text ?? asEdited(source);
  const isChanged = written !== undefined;
  const isBehind = isChanged && isOvertaken(written, script);
  const save = useMutation({
    mutationFn: (what: Written) => saveGlue(of.namespace, of.name, toSave(what), remark.trim()),
    onSuccess: async ({ version }) => {
      await saved();
      setReviewing(false);
      setWritten(undefined);
      setRemark('');
      toast({ tone: 'good', text: t.glue.saved(formats.number(version)) });
    },
    onError: async (error, what) => {
      const theirs = asApiError(error).code === 'resource.stale' ? await stored(client, of).catch(() => undefined) : undefined;
      if (!theirs) toastError(t.errors.action(t.editor.save), error);
      else if (isOvertaken(what, theirs)) {
        setReviewing(false);
        setConflict(theirs);
      } else save.mutate(over(what, theirs));
    },
  });
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: () => isChanged,
    shouldBlockFn: async ({ current, next }) => {
      // A version that is looked at is another view of this page.
      if (current.pathname === next.pathname && (next.search as { tab?: string }).tab === 'script') return false;
      return (await confirm({ title: t.editor.leaveTitle, text: t.flows.leaveText, action: t.editor.leave })) === undefined;
    },
  });
  const remarkText = remark.trim();
  return (
    <>
      <Panel
        title={t.glue.script}
        aside={language}
        flush
      >
        <ScriptEditor label={t.glue.script} text={text} language={language} onChange={(next) => setWritten((before) => write(before, now, next))} />
      </Panel>
      <div className={css.bar}>
        <p className={css.quiet}>{isBehind ? `${t.glue.overtaken}${t.common.stop.trim()}` : isChanged ? t.glue.unsaved : t.glue.runsNow}</p>
        {isChanged && (
          <Button icon={RotateCcw} onClick={() => setWritten(undefined)}>
            {t.glue.discard}
          </Button>
        )}
        <Button tone="primary" icon={Save} disabledReason={isChanged ? undefined : t.editor.nothingChanged} onClick={() => setReviewing(true)}>
          {t.editor.review}
        </Button>
      </div>
      {reviewing && written && (
        <FormDialog onClose={() => setReviewing(false)} title={t.editor.reviewTitle} description={t.glue.reviewText} width="l" action={t.editor.save} ready={remarkText !== '' && remarkText.length <= REMARK_MAX} command={glueCommand(of.namespace, of.name, toSave(written), remarkText)} busy={save.isPending} onSubmit={() => save.mutate(written)}>
          <DiffView before={asEdited(source)} after={text} beforeLabel={isBehind ? t.glue.begunFrom : t.glue.current} afterLabel={t.editor.yours} colours={colouring(language)} />
          <Field label={t.glue.remark} hint={t.glue.remarkHint}>
            {(field) => <TextInput {...field} maxLength={REMARK_MAX} value={remark} onChange={(event) => setRemark(event.target.value)} />}
          </Field>
        </FormDialog>
      )}
      {conflict && written && (
        <Conflict
          mine={text}
          theirs={conflict}
          onClose={() => setConflict(undefined)}
          onTake={() => {
            setConflict(undefined);
            setWritten(undefined);
          }}
          onReplace={() => {
            const mine = over(written, conflict);
            setConflict(undefined);
            setWritten(mine);
            save.mutate(mine);
          }}
        />
      )}
    </>
  );
}

/** The script that the job has now, whatever this page has read before. */
async function stored(client: QueryClient, of: Job): Promise<Stored | undefined> {
  const { spec, version } = await client.fetchQuery({ ...jobQuery(of.namespace, of.name), staleTime: 0 });
  const glue = spec.xxl?.glue;
  return glue ? { source: glue.source, language: glue.language, version } : undefined;
}

/** Somebody else has saved the script meanwhile: both, and what becomes of them. */
function Conflict({ mine, theirs, onClose, onTake, onReplace }: { mine: string; theirs: Stored; onClose: () => void; onTake: () => void; onReplace: () => void }) {
  const t = useT();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.glue.overtaken}
      description={t.editor.staleText}
      width="l"
      footer={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button onClick={onTake}>{t.editor.takeTheirs}</Button>
          <Button tone="danger" onClick={onReplace}>
            {t.editor.overwrite}
          </Button>
        </>
      }
    >
      <DiffView before={asEdited(theirs.source)} after={mine} beforeLabel={t.glue.current} afterLabel={t.editor.yours} colours={colouring(theirs.language)} />
    </Dialog>
  );
}

/** An older version beside the script that runs now, and a way back to it. */
function Old({ of, script, version, onDone }: { of: Job; script: Script; version: GlueVersion; onDone: () => void }) {
  const t = useT();
  const formats = useFormats();
  const saved = useSaved(of);
  const number = formats.number(version.version);
  const query = useQuery(glueVersionQuery(of.namespace, of.name, version));
  const back = useMutation({
    // What was looked at when it was asked for, whatever is here once it is confirmed.
    mutationFn: ({ to, from, remark }: { to: GlueVersion; from: number; remark: string }) => rollBack(of.namespace, of.name, to, from, remark.slice(0, REMARK_MAX)),
    onSuccess: async (made, { to }) => {
      await saved();
      toast({ tone: 'good', text: t.glue.rolledBack(formats.number(to.version), formats.number(made.version)) });
      onDone();
    },
    onError: (error) => toastError(t.glue.rollBack, error),
  });
  const ask = () => void confirm({ title: t.glue.rollBackTitle(number), text: t.glue.rollBackText, action: t.glue.rollBack, reason: true }).then((yes) => yes && back.mutate({ to: version, from: of.version, remark: yes.reason }));
  return (
    <Panel
      title={t.glue.compare(number)}
      aside={
        <Button size="s" icon={RotateCcw} busy={back.isPending} onClick={ask}>
          {t.glue.rollBack}
        </Button>
      }
    >
      <Loaded query={query} what={t.jobDetail.versions.versionOf(number)}>
        {({ source }) => <DiffView before={asEdited(source ?? '')} after={asEdited(script.source)} beforeLabel={t.jobDetail.versions.versionOf(number)} afterLabel={t.glue.current} colours={colouring(version.language)} />}
      </Loaded>
    </Panel>
  );
}
