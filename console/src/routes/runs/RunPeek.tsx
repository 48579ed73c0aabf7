import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';
import { raw } from '@/api/client';
import { ActionBar } from '@/components/ActionBar';
import { Loaded } from '@/components/Feedback';
import { Instant, Took } from '@/components/Instant';
import { Facts } from '@/components/Page';
import { Peek, PeekPart, type PeekProps } from '@/components/Peek';
import css from '@/components/Peek.module.css';
import { StateBadge } from '@/components/StateBadge';
import { WhyPanel } from '@/components/WhyPanel';
import { ExecutorLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { isFinal, runState } from '@/states';
import { readColours } from '../run/log/segments';
import type { LogPage } from '../run/log/types';
import { logPath } from '../run/log/useLog';
import { errorQuery, runQuery, whyQuery } from '../run/queries';
import { useRunActions } from '../run/useRunActions';
import type { Run } from './queries';

const RunWithChanges = lazy(() => import('../run/RunWithChanges').then((module) => ({ default: module.RunWithChanges })));

/** Lines of the log that are shown. */
const LINES = 15;
/** Characters of a line that are shown here. */
const LINE_CHARS = 600;

const logEndQuery = (run: string) =>
  queryOptions({
    queryKey: ['log-end', run],
    queryFn: ({ signal }) => raw<LogPage>('GET', logPath(run, { tail: LINES }), undefined, signal),
    meta: { topics: [`run:${run}`], every: 2000 },
  });

export interface RunPeekProps extends Pick<PeekProps, 'onStep' | 'onClose'> {
  id: string;
  /** What the list knows of it. */
  row: Run | undefined;
}

/** A run in short: how it stands, why it waits or failed, and the end of its log. */
export function RunPeek({ id, row, onStep, onClose }: RunPeekProps) {
  const t = useT();
  const query = useQuery({ ...runQuery(id), ...(row ? { placeholderData: row } : {}) });
  const name = query.data?.job ?? row?.job ?? id;
  return (
    <Peek
      name={name}
      heading={
        <Link to="/ns/$ns/runs/$run" params={{ ns: query.data?.namespace ?? row?.namespace ?? 'default', run: id }}>
          {name}
        </Link>
      }
      onStep={onStep}
      onClose={onClose}
    >
      <Loaded query={query} what={t.run.a}>
        {(run) => <Essentials key={run.id} run={run} />}
      </Loaded>
    </Peek>
  );
}

function Essentials({ run }: { run: Run }) {
  const t = useT();
  const formats = useFormats();
  const navigate = useNavigate();
  const [changing, setChanging] = useState(false);
  const over = isFinal(run.state);
  const failed = run.state === 'failed';
  const why = useQuery({ ...whyQuery(run.id), enabled: !over && run.state !== 'running' });
  const error = useQuery({ ...errorQuery(run.id, undefined), enabled: failed && !run.tasks });
  const chooseTasks = () => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id }, search: { rerun: '*' } });
  const actions = useRunActions(run, chooseTasks, () => setChanging(true));
  const first = error.data?.first;
  return (
    <>
      <div className={css.facts}>
        <StateBadge state={runState(run)} strong />
        <span>{run.attempt > 0 ? t.run.attempt(formats.number(run.attempt), formats.number(Math.max(run.attempts_max, run.attempt))) : t.run.noAttempt}</span>
        <span>{t.run.origins[run.origin] ?? t.run.origins.unknown}</span>
      </div>
      <ActionBar actions={actions} />
      {!over && run.state !== 'running' && why.data && <WhyPanel why={why.data} namespace={run.namespace} title={t.run.whyTitle} />}
      {failed && (
        <div className={css.failure}>
          <strong>{run.reason ? t.said.failure(run.reason) : t.states.words.failed}</strong>
          {first && <code>{plain(first.text)}</code>}
          <p>
            <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }} {...(first ? { hash: `L${first.line}` } : {})}>
              {first ? t.peek.errorLine(formats.number(first.line)) : t.peek.openLog}
            </Link>
          </p>
        </div>
      )}
      <Facts
        rows={[
          [
            t.runs.job,
            <Link key="job" to="/ns/$ns/jobs/$job" params={{ ns: run.namespace, job: run.job }}>
              {run.namespace}/{run.job}
            </Link>,
          ],
          run.task ? [t.workflow.taskWord, run.task] : undefined,
          [t.runs.fired, <Instant key="fired" at={run.fire_at ?? run.created_at} relative focusable />],
          run.started_at ? [t.runs.started, <Instant key="started" at={run.started_at} focusable />] : undefined,
          run.ended_at ? [t.runs.ended, <Instant key="ended" at={run.ended_at} focusable />] : undefined,
          [t.runs.took, <Took key="took" from={run.started_at} to={run.ended_at} />],
          typeof run.lateness_ms === 'number' ? [t.runs.lateness, formats.duration(run.lateness_ms)] : undefined,
          [t.runs.queue, run.queue],
          run.worker || run.node ? [t.runs.executor, <ExecutorLink key="worker" of={run} ns={run.namespace} />] : undefined,
          run.reason && !failed ? [t.runs.reason, t.said.failure(run.reason)] : undefined,
          [t.runs.id, <code key="id">{run.id}</code>],
        ]}
      />
      {!run.tasks && run.attempt > 0 && <LogEnd run={run.id} />}
      {changing && (
        <Suspense>
          <RunWithChanges run={run} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The last lines, as text: nothing in them is read as anything else. */
function LogEnd({ run }: { run: string }) {
  const t = useT();
  const query = useQuery(logEndQuery(run));
  return (
    <PeekPart title={t.peek.logEnd}>
      <Loaded query={query} what={t.peek.logEnd}>
        {({ lines }) =>
          lines.length === 0 ? (
            <p className={css.quiet}>{t.peek.noLog}</p>
          ) : (
            <pre className={css.log} tabIndex={0} role="region" aria-label={t.peek.logEnd}>
              {lines.map((line) => `${plain(line.text)}\n`).join('')}
            </pre>
          )
        }
      </Loaded>
    </PeekPart>
  );
}

/** A line without colours, cut where it is long. */
function plain(text: string): string {
  const shown = readColours(text.slice(0, LINE_CHARS)).map((part) => part.text).join('');
  return text.length > LINE_CHARS ? `${shown}…` : shown;
}
