import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePause } from 'lucide-react';
import { useState } from 'react';
import { raw } from '@/api/client';
import { ActionBar } from '@/components/ActionBar';
import { Loaded } from '@/components/Feedback';
import { Instant, Took } from '@/components/Instant';
import { OwnerLink } from '@/components/OwnerLink';
import { Facts } from '@/components/Page';
import { Peek, PeekPart, type PeekProps } from '@/components/Peek';
import css from '@/components/Peek.module.css';
import { RunStrip } from '@/components/RunStrip';
import { StateBadge } from '@/components/StateBadge';
import { WhyPanel } from '@/components/WhyPanel';
import { useT } from '@/i18n';
import { runState } from '@/states';
import { RunNow } from '../job/RunNow';
import { jobQuery, jobWhyQuery } from '../job/queries';
import { useJobActions } from '../job/useJobActions';
import { type Run, type RunList, runsPath } from '../runs/queries';
import { scheduleWords, taskOf } from './columns';
import { type Job, STRIP } from './queries';
import jobsCss from './Jobs.module.css';

/** Runs that are listed one by one. */
const LISTED = 5;

const newestRunsQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['newest-runs', ns, job],
    queryFn: ({ signal }) => raw<RunList>('GET', `${runsPath(ns, { job })}&limit=${STRIP}`, undefined, signal),
    meta: { topics: [`job:${ns}/${job}`], every: 2000 },
  });

export interface JobPeekProps extends Pick<PeekProps, 'onStep' | 'onClose'> {
  namespace: string;
  name: string;
  /** What the list knows of it. */
  row: Job | undefined;
}

/** A job in short: how it stands, when it fires, why not now, and what went wrong last. */
export function JobPeek({ namespace, name, row, onStep, onClose }: JobPeekProps) {
  const t = useT();
  const query = useQuery({ ...jobQuery(namespace, name), ...(row ? { placeholderData: row } : {}) });
  return (
    <Peek
      name={name}
      heading={
        <Link to="/ns/$ns/jobs/$job" params={{ ns: namespace, job: name }}>
          {name}
        </Link>
      }
      onStep={onStep}
      onClose={onClose}
    >
      <Loaded query={query} what={t.jobDetail.a}>
        {(job) => <Essentials key={job.id} job={job} onGone={onClose} />}
      </Loaded>
    </Peek>
  );
}

function Essentials({ job, onGone }: { job: Job; onGone: () => void }) {
  const t = useT();
  const [starting, setStarting] = useState(false);
  const actions = useJobActions(job, () => setStarting(true), onGone);
  const why = useQuery(jobWhyQuery(job.namespace, job.name));
  const runs = useQuery(newestRunsQuery(job.namespace, job.name));
  const { spec } = job;
  const labels = Object.entries(spec.labels ?? {});
  return (
    <>
      <div className={css.facts}>
        {job.last_run && <StateBadge state={runState(job.last_run)} strong />}
        {job.paused && (
          <span className={jobsCss.paused}>
            <CirclePause size={12} aria-hidden="true" /> {job.pause_reason ? t.peek.pausedBecause(job.pause_reason) : t.states.paused}
          </span>
        )}
        <span>{job.namespace}</span>
      </div>
      <ActionBar actions={actions} />
      {spec.description && <p className={css.text}>{spec.description}</p>}
      {why.data && <WhyPanel why={why.data} namespace={job.namespace} title={t.jobDetail.whyTitle} zone={spec.timezone ?? null} />}
      <Facts
        rows={[
          [t.peek.nextFire, <Instant key="next" at={job.next_fire_at} zone={spec.timezone} relative focusable />],
          [t.jobs.schedule, (job.explanations ?? []).length === 0 ? t.jobs.onRequest : (job.explanations ?? []).map(scheduleWords).join('; ')],
          spec.owner
            ? [t.jobs.owner, <OwnerLink key="owner" ns={job.namespace} owner={spec.owner} />]
            : undefined,
          [
            t.jobs.queue,
            <Link key="queue" to="/ns/$ns/queues/$queue" params={{ ns: job.namespace, queue: spec.queue ?? 'default' }}>
              {spec.queue ?? 'default'}
            </Link>,
          ],
          [t.jobs.task, taskOf(job)],
          labels.length > 0
            ? [
                t.jobs.labels,
                <span key="labels" className={css.words}>
                  {labels.map(([key, value]) => (
                    <span key={key} className={jobsCss.label}>
                      {key}={value}
                    </span>
                  ))}
                </span>,
              ]
            : undefined,
        ]}
      />
      <Loaded query={runs} what={t.peek.lastRuns}>
        {({ items }) => <LastRuns runs={items} />}
      </Loaded>
      {starting && <RunNow job={job} onClose={() => setStarting(false)} />}
    </>
  );
}

function LastRuns({ runs }: { runs: readonly Run[] }) {
  const t = useT();
  const failed = runs.find((run) => run.state === 'failed');
  if (runs.length === 0) return <p className={css.quiet}>{t.jobDetail.noRuns}</p>;
  return (
    <>
      <PeekPart title={t.peek.lastFailure}>
        {failed ? (
          <div className={css.failure}>
            <strong>{failed.reason ? t.said.failure(failed.reason) : t.states.words.failed}</strong>
            <p>
              <Instant at={failed.ended_at ?? failed.created_at} relative />
              <Link to="/ns/$ns/runs/$run" params={{ ns: failed.namespace, run: failed.id }}>
                {t.peek.openLog}
              </Link>
            </p>
          </div>
        ) : (
          <p className={css.quiet}>{t.peek.noFailure(runs.length)}</p>
        )}
      </PeekPart>
      <PeekPart title={t.peek.lastRuns}>
        <RunStrip runs={runs} count={STRIP} />
        <ul className={css.runs}>
          {runs.slice(0, LISTED).map((run) => (
            <li key={run.id}>
              <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }}>
                <StateBadge state={runState(run)} />
                <Instant at={run.fire_at ?? run.created_at} />
                <Took from={run.started_at} to={run.ended_at} />
              </Link>
            </li>
          ))}
        </ul>
      </PeekPart>
    </>
  );
}
