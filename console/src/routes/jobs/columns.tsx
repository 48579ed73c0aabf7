import { Link } from '@tanstack/react-router';
import { Pause } from 'lucide-react';
import type { Column } from '@/components/DataTable';
import { Distance, Instant, Took } from '@/components/Instant';
import { OwnerLink } from '@/components/OwnerLink';
import { RunStrip } from '@/components/RunStrip';
import { StateBadge } from '@/components/StateBadge';
import { type Dictionary, type Formats } from '@/i18n';
import { quoted } from '@/lib/query';
import { instant } from '@/lib/time';
import { runState } from '@/states';
import css from './Jobs.module.css';
import type { Job } from './queries';

/** The kind of work, in the word of the job file. */
export function taskOf(job: Job): string {
  const { spec } = job;
  if (spec.run != null) return 'run';
  if (spec.exec != null) return 'exec';
  if (spec.script != null) return 'script';
  if (spec.http != null) return 'http';
  if (spec.handler != null) return `handler ${spec.handler}`;
  if (spec.tasks && Object.keys(spec.tasks).length > 0) return 'workflow';
  if (spec.xxl != null) return 'xxl';
  return 'noop';
}

/** Words of a trigger without the dialect, which matters to whoever edits it. */
export function scheduleWords(explanation: string): string {
  return explanation.replace(/ ?[(（][^()（）]*(?:dialect|方言|语法)[)）]/, '');
}

/** A job as a row of a file. */
export const jobHead = ['namespace', 'name', 'paused', 'schedule', 'next_fire_at', 'last_state', 'last_started_at', 'last_ended_at', 'task', 'queue', 'owner', 'labels', 'version'] as const;

export function jobRow(job: Job): unknown[] {
  const { last_run: last, spec } = job;
  const labels = Object.entries(spec.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [job.namespace, job.name, job.paused, (job.explanations ?? []).join('; '), job.next_fire_at, last?.state, last?.started_at, last?.ended_at, taskOf(job), spec.queue ?? 'default', spec.owner, labels.join(' '), job.version];
}

export function jobColumns(t: Dictionary, formats: Formats, ns: string): Column<Job>[] {
  return [
    {
      id: 'name',
      header: t.jobs.name,
      sort: 'name',
      cell: (job) => (
        <span className={css.name}>
          <Link to="/ns/$ns/jobs/$job" params={{ ns: job.namespace, job: job.name }} title={job.spec.description ?? undefined}>
            {job.name}
          </Link>
          {ns === '-' && <span className={css.quiet}>{job.namespace}</span>}
          {job.paused && (
            <span className={css.paused} title={job.pause_reason ? t.jobs.pausedBecause(job.pause_reason) : undefined}>
              <Pause size={11} aria-hidden="true" /> {t.states.paused}
            </span>
          )}
          {job.active_runs > 0 && <span className={css.active}>{t.jobs.running(formats.number(job.active_runs))}</span>}
        </span>
      ),
    },
    {
      id: 'schedule',
      header: t.jobs.schedule,
      wide: true,
      cell: (job) => <Schedule words={job.explanations ?? []} t={t} formats={formats} />,
    },
    {
      id: 'last',
      header: t.jobs.last,
      sort: 'last',
      width: '10.5rem',
      cell: (job) => <Last job={job} t={t} />,
    },
    {
      id: 'next',
      header: t.jobs.next,
      sort: 'next',
      width: '11.5rem',
      cell: (job) => <Instant at={job.next_fire_at} zone={job.spec.timezone} relative />,
    },
    {
      id: 'took',
      header: t.jobs.took,
      width: '5rem',
      align: 'end',
      wide: true,
      cell: (job) => job.last_run?.started_at && <Took from={job.last_run.started_at} to={job.last_run.ended_at} />,
    },
    {
      id: 'recent',
      header: t.jobs.recent,
      width: '7.5rem',
      wide: true,
      cell: (job) => <RunStrip runs={job.recent ?? []} />,
    },
    {
      id: 'owner',
      header: t.jobs.owner,
      optional: true,
      cell: (job) => job.spec.owner && <OwnerLink ns={ns} owner={job.spec.owner} />,
    },
    {
      id: 'labels',
      header: t.jobs.labels,
      optional: true,
      cell: (job) => (
        <span className={css.labels}>
          {Object.entries(job.spec.labels ?? {}).map(([key, value]) => (
            <Link key={key} to="/ns/$ns/jobs" params={{ ns }} search={{ q: `label:${quoted(`${key}=${value}`)}` }} className={css.label}>
              {key}={value}
            </Link>
          ))}
        </span>
      ),
    },
    { id: 'queue', header: t.jobs.queue, optional: true, cell: (job) => job.spec.queue ?? 'default' },
    { id: 'task', header: t.jobs.task, optional: true, cell: taskOf },
    { id: 'version', header: t.jobs.version, optional: true, align: 'end', cell: (job) => formats.number(job.version) },
    { id: 'changed', header: t.jobs.changed, sort: 'updated', optional: true, cell: (job) => <Instant at={job.updated_at} relative /> },
  ];
}

function Schedule({ words, t, formats }: { words: readonly string[]; t: Dictionary; formats: Formats }) {
  const [first] = words;
  if (first === undefined) return <span className={css.quiet}>{t.jobs.onRequest}</span>;
  return (
    <span className={css.schedule} title={words.join('\n')}>
      <span>{scheduleWords(first)}</span>
      {words.length > 1 && <span className={css.quiet}>{t.jobs.moreTriggers(formats.number(words.length - 1))}</span>}
    </span>
  );
}

function Last({ job, t }: { job: Job; t: Dictionary }) {
  const run = job.last_run;
  if (!run) return <span className={css.quiet}>{t.jobs.never}</span>;
  const at = run.ended_at ?? run.started_at ?? run.fire_at;
  return (
    <Link to="/ns/$ns/runs/$run" params={{ ns: job.namespace, run: run.id }} className={css.last}>
      <StateBadge state={runState(run)} />
      {at && (
        <span className={css.quiet}>
          <Distance ms={instant(at)} />
        </span>
      )}
    </Link>
  );
}
