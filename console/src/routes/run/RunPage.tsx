import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';
import { ActionBar } from '@/components/ActionBar';
import { CopyButton } from '@/components/Copy';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Select } from '@/components/Field';
import { Instant, Took } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { StateBadge, StateGlyph } from '@/components/StateBadge';
import { TabPanel, Tabs } from '@/components/Tabs';
import { ExecutorLink } from '@/components/WorkerLink';
import { WhyPanel } from '@/components/WhyPanel';
import { useFormats, useT } from '@/i18n';
import { asState, isFinal, runState } from '@/states';
import { LogViewer } from './log/LogViewer';
import { type Attempt, type Run, attemptsQuery, errorQuery, runQuery, whyQuery } from './queries';
import { FailedTasks } from './FailedTasks';
import { Neighbours } from './Neighbours';
import { runRoute, runTabs } from './routes';
import { readColours } from './log/segments';
import css from './Run.module.css';
import { RunData } from './RunData';
import { Timeline, endOf } from './Timeline';
import { type Step, stepsOf } from './times';
import { useRunActions } from './useRunActions';

// Only workflows have tasks.
const RerunDialog = lazy(() => import('./RerunDialog').then((module) => ({ default: module.RerunDialog })));
const RunWithChanges = lazy(() => import('./RunWithChanges').then((module) => ({ default: module.RunWithChanges })));
const RunTasks = lazy(() => import('./RunTasks').then((module) => ({ default: module.RunTasks })));

/** In place of a task: what is run again is chosen in the dialog. */
const ALL = '*';

export function RunPage() {
  const t = useT();
  const { run: id } = runRoute.useParams();
  const query = useQuery(runQuery(id));
  return (
    <Loaded query={query} what={t.run.a}>
      {(run) => <RunView run={run} />}
    </Loaded>
  );
}

function RunView({ run }: { run: Run }) {
  const t = useT();
  const formats = useFormats();
  const search = runRoute.useSearch();
  const navigate = useNavigate();
  const attempts = useQuery(attemptsQuery(run.id)).data ?? [];
  const over = isFinal(run.state);
  const failed = run.state === 'failed';
  const error = useQuery({ ...errorQuery(run.id, undefined), enabled: failed && !run.tasks });
  const why = useQuery({ ...whyQuery(run.id), enabled: !over && run.state !== 'running' });
  const [changing, setChanging] = useState(false);
  const actions = useRunActions(run, () => set({ rerun: ALL }), () => setChanging(true));
  const tabs = runTabs.filter((name) => name !== 'tasks' || run.tasks);
  // A workflow writes nothing itself: what one looks for is with its tasks.
  const first = run.tasks ? 'tasks' : 'log';
  const tab = tabs.find((name) => name === search.tab) ?? first;
  const job = { ns: run.namespace, job: run.job };
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  const showLine = (line: number) => void navigate({ to: '.', search: (before) => ({ ...before, tab: undefined, attempt: undefined }), hash: `L${line}`, replace: true });
  return (
    <Page
      title={`${run.job} ${t.run.page(run.id.slice(0, 8))}`}
      fill
      trail={
        <>
          <Link to="/ns/$ns/jobs" params={{ ns: run.namespace }}>
            {run.namespace}
          </Link>{' '}
          /{' '}
          <Link to="/ns/$ns/jobs/$job" params={job}>
            {run.job}
          </Link>
          {run.parent && run.task ? (
            <>
              {' '}
              /{' '}
              <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.parent }} search={{ task: run.task.replace(/\[\d+\]$/, '') }}>
                {run.task}
              </Link>
            </>
          ) : run.caller ? (
            <>
              {' '}
              /{' '}
              <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.caller.run }} search={{ task: run.caller.task.replace(/\[\d+\]$/, '') }}>
                {run.caller.task}
              </Link>
            </>
          ) : (
            <Neighbours run={run} />
          )}
        </>
      }
      heading={
        <Link to="/ns/$ns/jobs/$job" params={job} className={css.job}>
          {run.job}
        </Link>
      }
      facts={
        <>
          <StateBadge state={runState(run)} strong />
          {run.cancel_requested_at && !over && <span className={css.cancelling}>{t.run.cancelling}</span>}
          <span>
            {run.attempt > 0 ? t.run.attempt(formats.number(run.attempt), formats.number(Math.max(run.attempts_max, run.attempt))) : t.run.noAttempt}
          </span>
          <span>{t.run.version(formats.number(run.job_version))}</span>
          <span>{t.run.origins[run.origin] ?? t.run.origins.unknown}</span>
          <span className={css.id}>
            <code>{run.id}</code>
            <CopyButton text={run.id} label={t.run.copyId} />
          </span>
        </>
      }
      actions={<ActionBar actions={actions} />}
    >
      {search.rerun !== undefined && run.tasks && (
        <Suspense>
          <RerunDialog key={search.rerun} run={run} from={search.rerun === ALL ? undefined : search.rerun.split(',')} onClose={() => set({ rerun: undefined })} />
        </Suspense>
      )}
      {changing && (
        <Suspense>
          <RunWithChanges run={run} onClose={() => setChanging(false)} />
        </Suspense>
      )}
      <Steps steps={stepsOf(run, attempts)} run={run} />
      {failed && <ErrorBanner run={run} attempts={attempts} error={error.data} onShow={showLine} />}
      {!over && why.data && run.state !== 'running' && <WhyPanel why={why.data} namespace={run.namespace} title={t.run.whyTitle} />}
      {run.recovered && (
        <p className={css.recovered}>
          <TriangleAlert size={14} aria-hidden="true" /> {t.run.recovered}
        </p>
      )}
      <Tabs
        fill
        label={t.run.a}
        value={tab}
        onChange={(next) => set({ tab: next === first ? undefined : next })}
        tabs={tabs.map((name) => [name, t.run.tabs[name]] as const)}
        aside={
          attempts.length > 1 &&
          tab === 'log' && (
            <div className={css.chooser}>
              <AttemptChips attempts={attempts} />
              <Select aria-label={t.run.attemptWord} value={search.attempt ?? ''} onChange={(event) => set({ attempt: event.target.value === '' ? undefined : Number(event.target.value) })}>
                <option value="">{t.run.allAttempts}</option>
                {attempts.map((attempt) => (
                  <option key={attempt.number} value={attempt.number}>
                    {`${t.run.attemptWord} ${attempt.number} · ${t.states.words[asState(attempt.state)]}`}
                  </option>
                ))}
              </Select>
            </div>
          )
        }
      >
        {run.tasks && (
          <TabPanel value="tasks" fill>
            <Suspense fallback={<Skeleton lines={10} />}>
              <RunTasks run={run} search={search} onSearch={set} />
            </Suspense>
          </TabPanel>
        )}
        <TabPanel value="log" fill>
          {failed && error.isLoading ? (
            <Skeleton lines={12} />
          ) : (
            <LogViewer
              key={`${run.id} ${search.attempt} ${location.hash}`}
              run={run.id}
              attempt={search.attempt}
              running={!over}
              zone={undefined}
              at={search.attempt === undefined || search.attempt === error.data?.attempt ? error.data?.first?.line : undefined}
            />
          )}
        </TabPanel>
        <TabPanel value="timeline">
          <Panel title={t.run.attempts}>
            <Timeline run={run} attempts={attempts} zone={undefined} />
          </Panel>
          <Panel title={t.run.facts}>
            <RunFacts run={run} />
          </Panel>
        </TabPanel>
        <TabPanel value="data">
          <RunData run={run} />
        </TabPanel>
      </Tabs>
    </Page>
  );
}

/** due → claimed → started → ended, with what lies between. */
function Steps({ steps, run }: { steps: readonly Step[]; run: Run }) {
  const t = useT();
  const formats = useFormats();
  return (
    <ol className={css.steps}>
      {steps.map((step) => (
        <li key={step.id}>
          <span className={css.stepName}>{t.run[step.id]}</span>
          <Instant at={step.at} precision="ms" focusable />
          <span className={css.since}>
            {step.since === undefined ? null : step.since < 0 ? t.time.clockSkew(formats.duration(-step.since)) : `+${formats.duration(step.since)}`}
            {step.id === 'started' && typeof run.lateness_ms === 'number' && ` · ${run.lateness_ms < 1000 ? t.run.onTime : t.run.late(formats.duration(run.lateness_ms))}`}
          </span>
        </li>
      ))}
      {run.state === 'running' && (
        <li data-now>
          <span className={css.stepName}>{t.run.running}</span>
          <span>
            <Took from={run.started_at} to={null} />
          </span>
        </li>
      )}
    </ol>
  );
}

function AttemptChips({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <span className={css.chips} aria-hidden="true">
      {attempts.slice(-20).map((attempt) => (
        <StateGlyph key={attempt.number} state={asState(attempt.state)} />
      ))}
    </span>
  );
}

function ErrorBanner({ run, attempts, error, onShow }: { run: Run; attempts: readonly Attempt[]; error: import('./log/types').LogError | undefined; onShow: (line: number) => void }) {
  const t = useT();
  const formats = useFormats();
  const last = attempts.at(-1);
  const first = error?.first;
  return (
    <section className={css.banner} aria-label={t.run.failedBecause}>
      <StateGlyph state="failed" size={15} />
      <div>
        <strong>{(last && endOf(last, t)) || (run.reason && t.said.failure(run.reason))}</strong>
        {run.tasks && <FailedTasks run={run} />}
        {first && (
          <p>
            <button type="button" className={css.errorLine} onClick={() => onShow(first.line)} title={t.run.openError}>
              <span>{t.run.firstError(formats.number(first.line))}</span>
              <code>{readColours(first.text).map((part) => part.text).join('').slice(0, 400)}</code>
            </button>
          </p>
        )}
      </div>
      {error && error.count > 1 && <span className={css.count}>{t.run.errors(formats.number(error.count))}</span>}
    </section>
  );
}

function RunFacts({ run }: { run: Run }) {
  const t = useT();
  const formats = useFormats();
  const link = (id: string) => (
    <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: id }}>
      <code>{id}</code>
    </Link>
  );
  return (
    <Facts
      rows={[
        [t.run.origin, t.run.origins[run.origin] ?? t.run.origins.unknown],
        run.trigger ? [t.run.trigger, run.trigger] : undefined,
        run.logical_date ? [t.run.logicalDate, <Instant key="ld" at={run.logical_date} />] : undefined,
        [t.run.queue, run.queue],
        [t.run.priority, formats.number(run.priority)],
        run.worker || run.node ? [t.run.executor, <ExecutorLink key="worker" of={run} ns={run.namespace} />] : undefined,
        [t.run.took, <Took key="took" from={run.started_at} to={run.ended_at} />],
        typeof run.lateness_ms === 'number' ? [t.run.lateness, formats.duration(run.lateness_ms)] : undefined,
        run.not_before ? [t.run.notBefore, <Instant key="nb" at={run.not_before} relative />] : undefined,
        run.expires_at ? [t.run.expires, <Instant key="ex" at={run.expires_at} relative />] : undefined,
        run.reason ? [t.run.reason, t.said.failure(run.reason)] : undefined,
        run.parent ? [t.run.parent, link(run.parent)] : undefined,
        run.task ? [t.workflow.taskWord, run.task] : undefined,
        run.caller ? [t.run.caller, link(run.caller.run)] : undefined,
        run.shard ? [t.run.shard, t.run.shardOf(formats.number(run.shard.index), formats.number(run.shard.total))] : undefined,
        run.rerun_of ? [t.run.rerunOf, link(run.rerun_of)] : undefined,
      ]}
    />
  );
}
