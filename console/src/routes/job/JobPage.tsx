import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CirclePause } from 'lucide-react';
import { Suspense, lazy, useMemo, useState } from 'react';
import { exactText } from '@/api/client';
import { ActionBar } from '@/components/ActionBar';
import { Loaded, NothingYet, Skeleton } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { JsonView } from '@/components/JsonView';
import { OwnerLink } from '@/components/OwnerLink';
import { Facts, Page, Panel } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { StateBadge } from '@/components/StateBadge';
import { TabPanel, Tabs } from '@/components/Tabs';
import { Who } from '@/components/Who';
import { WhyPanel } from '@/components/WhyPanel';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { quoted } from '@/lib/query';
import { parseExact } from '@/lib/json';
import { runState } from '@/states';
import { RunTable } from '../runs/RunTable';
import { useRunList } from '../runs/useRunList';
import { withGroups } from '../workflow/groups';
import { DurationBars } from './DurationBars';
import { figuresOf } from './figures';
import { HeatMap } from './HeatMap';
import css from './Job.module.css';
import { type Job, jobQuery, jobWhyQuery, lastRunsQuery, triggersQuery } from './queries';
import { KeptData } from './KeptData';
import { MatchPanel } from './MatchPanel';
import { MissedPanel } from './MissedPanel';
import { jobRoute, jobTabs } from './routes';
import { RunNow } from './RunNow';
import { SchedulePanel } from './SchedulePanel';
import { useJobActions } from './useJobActions';

// The comparison brings an editor with it, which only this tab needs.
const Versions = lazy(() => import('./Versions'));
const ScriptTab = lazy(() => import('../glue/ScriptTab'));
const WorkflowView = lazy(() => import('../workflow/WorkflowView').then((module) => ({ default: module.WorkflowView })));

export function JobPage() {
  const t = useT();
  const { ns, job } = jobRoute.useParams();
  const query = useQuery(jobQuery(ns, job));
  return (
    <Loaded query={query} what={t.jobDetail.a}>
      {(found) => <JobView job={found} />}
    </Loaded>
  );
}

function JobView({ job }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const search = jobRoute.useSearch();
  const navigate = useNavigate();
  const [starting, setStarting] = useState(false);
  const actions = useJobActions(job, () => setStarting(true));
  const tasks = useMemo(() => withGroups(job.spec.tasks ?? {}, job.spec.groups), [job.spec]);
  const isWorkflow = Object.keys(tasks).length > 0;
  const script = job.spec.xxl?.glue;
  const tabs = jobTabs.filter((name) => (name !== 'tasks' || isWorkflow) && (name !== 'script' || script));
  const tab = tabs.find((name) => name === search.tab) ?? 'overview';
  const change = (next: Partial<typeof search>) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  const labels = Object.entries(job.spec.labels ?? {});
  return (
    <Page
      title={job.name}
      fill={tab === 'runs' || tab === 'tasks'}
      trail={
        <Link to="/ns/$ns/jobs" params={{ ns: job.namespace }}>
          {job.namespace}
        </Link>
      }
      facts={
        <>
          {job.paused && (
            <span className={css.pausedWord}>
              <CirclePause size={14} aria-hidden="true" /> {t.jobDetail.paused}
            </span>
          )}
          {job.last_run && (
            <Link to="/ns/$ns/runs/$run" params={{ ns: job.namespace, run: job.last_run.id }} className={css.last}>
              <StateBadge state={runState(job.last_run)} />
            </Link>
          )}
          <span>{t.run.version(formats.number(job.version))}</span>
          {labels.map(([name, value]) => (
            <Link key={name} to="/ns/$ns/jobs" params={{ ns: job.namespace }} search={{ q: `label:${quoted(`${name}=${value}`)}` }} className={css.label}>
              {value === '' ? name : `${name}=${value}`}
            </Link>
          ))}
        </>
      }
      actions={<ActionBar actions={actions} />}
    >
      {job.spec.description && <p className={css.description}>{job.spec.description}</p>}
      {job.paused && (
        <p className={css.pausedNote} role="status">
          <CirclePause size={15} aria-hidden="true" />
          <span>
            {job.pause_reason ? `${t.jobDetail.pausedBecause} ${job.pause_reason}` : t.jobDetail.pausedNote}{' '}
            <span className={css.quiet}>
              {job.paused_by && (
                <>
                  {t.jobDetail.pausedBy} <Who by={job.paused_by} />
                </>
              )} {job.paused_at && <Instant at={job.paused_at} relative />}
            </span>
          </span>
        </p>
      )}
      <Tabs
        label={t.jobDetail.a}
        value={tab}
        onChange={(next) => change({ tab: next === 'overview' ? undefined : next })}
        tabs={tabs.map((name) => [name, t.jobDetail.tabs[name]] as const)}
        fill={tab === 'runs' || tab === 'tasks'}
      >
        <TabPanel value="overview">
          <Overview job={job} />
        </TabPanel>
        {isWorkflow && (
          <TabPanel value="tasks" fill>
            <Suspense fallback={<Skeleton lines={10} />}>
              <WorkflowView namespace={job.namespace} job={job.name} tasks={tasks} search={search} onSearch={change} />
            </Suspense>
          </TabPanel>
        )}
        <TabPanel value="runs" fill>
          <JobRuns job={job} />
        </TabPanel>
        <TabPanel value="schedule">
          <Schedule job={job} count={30} details />
        </TabPanel>
        <TabPanel value="calendar">
          <HeatMap job={job} />
        </TabPanel>
        {script && (
          <TabPanel value="script">
            <Suspense fallback={<Skeleton lines={8} />}>
              <ScriptTab of={job} script={script} />
            </Suspense>
          </TabPanel>
        )}
        <TabPanel value="versions">
          <Suspense fallback={<Skeleton lines={8} />}>
            <Versions job={job} />
          </Suspense>
        </TabPanel>
        <TabPanel value="definition">
          <Definition job={job} />
        </TabPanel>
      </Tabs>
      {starting && <RunNow job={job} onClose={() => setStarting(false)} />}
    </Page>
  );
}

function JobRuns({ job }: { job: Job }) {
  const t = useT();
  const list = useRunList(job.namespace, { job: job.name });
  return <RunTable ns={job.namespace} list={list} job={false} empty={<NothingYet what={t.runs.what}>{t.jobDetail.noRuns}</NothingYet>} />;
}

function Overview({ job }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const why = useQuery(jobWhyQuery(job.namespace, job.name));
  const last = useQuery(lastRunsQuery(job.namespace, job.name));
  const runs = last.data?.items ?? [];
  const figures = figuresOf(runs);
  const { spec } = job;
  const limit = spec.max_active ?? (spec.overlap && spec.overlap !== 'allow' ? 1 : undefined);
  return (
    <div className={css.overview}>
      <div className={css.column}>
        <Schedule job={job} count={6} />
        <Panel title={t.jobDetail.lastRuns} aside={<Link to="." search={{ tab: 'runs' }}>{t.run.allRuns}</Link>}>
          <Loaded query={last} what={t.jobDetail.lastRuns}>
            {() =>
              runs.length === 0 ? (
                <p className={css.quiet}>
                  {t.jobDetail.noRuns}{' '}
                  {job.next_fire_at && (
                    <>
                      {t.jobDetail.noRunsNext} <Instant at={job.next_fire_at} relative />
                      {t.common.stop}
                    </>
                  )}
                </p>
              ) : (
                <>
                  <dl className={css.figures}>
                    <div>
                      <dt>{t.jobDetail.success}</dt>
                      <dd>{figures.over === 0 ? t.common.none : formats.percent(figures.succeeded / figures.over)}</dd>
                    </div>
                    <div>
                      <dt>{t.jobDetail.p50}</dt>
                      <dd>{figures.p50 === undefined ? t.common.none : formats.duration(figures.p50)}</dd>
                    </div>
                    <div>
                      <dt>{t.jobDetail.p95}</dt>
                      <dd>{figures.p95 === undefined ? t.common.none : formats.duration(figures.p95)}</dd>
                    </div>
                    <div>
                      <dt>{t.jobDetail.late}</dt>
                      <dd>{figures.lateMax === undefined ? t.common.none : formats.duration(figures.lateMax)}</dd>
                    </div>
                  </dl>
                  <DurationBars runs={runs} />
                </>
              )
            }
          </Loaded>
        </Panel>
      </div>
      <div className={css.column}>
        {why.data && <WhyPanel why={why.data} namespace={job.namespace} title={t.jobDetail.whyTitle} />}
        <MissedPanel job={job} />
        <MatchPanel job={job} />
        {spec.keep_data && <KeptData job={job} />}
        <Panel title={t.jobDetail.facts}>
          <Facts
            rows={[
              [t.jobDetail.task, <Task key="task" job={job} />],
              spec.owner
                ? [t.jobs.owner, <OwnerLink key="owner" ns={job.namespace} owner={spec.owner} />]
                : undefined,
              [t.jobDetail.queue, spec.queue ?? 'default'],
              [t.jobDetail.overlap, `${spec.overlap ?? 'allow'}${limit ? ` · ${t.jobDetail.limit(formats.number(limit))}` : ''}`],
              [t.jobDetail.active, formats.number(job.active_runs)],
              [t.jobDetail.retries, spec.retries ? `${formats.number(spec.retries)}${spec.retry_delay ? ` · ${spec.retry_delay}` : ''}` : t.jobDetail.none],
              [t.jobDetail.timeout, spec.timeout ?? t.jobDetail.none],
              spec.on_lost ? [t.jobDetail.onLost, spec.on_lost] : undefined,
              typeof spec.priority === 'number' ? [t.jobDetail.priorityWord, formats.number(spec.priority)] : undefined,
              [t.jobDetail.updated, <Instant key="updated" at={job.updated_at} relative />],
              [t.jobDetail.created, <Instant key="created" at={job.created_at} />],
            ]}
          />
        </Panel>
      </div>
    </div>
  );
}

function Task({ job }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const { run, exec, script, http, handler, noop, tasks, xxl } = job.spec;
  const count = Object.keys(tasks ?? {}).length;
  if (count > 0) {
    return (
      <Link to="." search={{ tab: 'tasks' }}>
        {t.workflow.count(formats.number(count), formats.number(count))}
      </Link>
    );
  }
  if (run) return <pre className={css.code} tabIndex={0} role="region" aria-label={t.jobDetail.task}>{run}</pre>;
  if (exec) return <pre className={css.code} tabIndex={0} role="region" aria-label={t.jobDetail.task}>{exec.join(' ')}</pre>;
  if (script) {
    return (
      <>
        <div className={css.quiet}>{[t.editor.languages[script.language], script.xxl_args ? t.editor.scriptXxl : (script.args ?? []).join(' ')].filter(Boolean).join(' · ')}</div>
        <pre className={css.code} tabIndex={0} role="region" aria-label={t.jobDetail.task}>
          {script.source}
        </pre>
      </>
    );
  }
  if (http) return <code>{`${http.method ?? 'GET'} ${http.url}`}</code>;
  if (handler) return <code>{handler}</code>;
  if (xxl) return <code>{`${xxl.app} · ${xxl.handler ?? xxl.glue?.language ?? ''}`}</code>;
  return <>{noop ? 'noop' : '—'}</>;
}

function Schedule({ job, count, details = false }: { job: Job; count: number; details?: boolean }) {
  const t = useT();
  const query = useQuery(triggersQuery(job.namespace, job.name));
  return (
    <Panel title={t.jobDetail.schedule}>
      <Loaded query={query} what={t.jobDetail.schedule}>
        {(page) => {
          const triggers = page.items;
          if (triggers.length === 0) return <p className={css.quiet}>{t.jobDetail.noTrigger}</p>;
          return (
            <div className={css.triggers}>
              {triggers.map((trigger) => (
                <SchedulePanel key={trigger.id} trigger={trigger} count={count} details={details} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Definition({ job }: { job: Job }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['job-exact', job.namespace, job.name, job.version],
    queryFn: async ({ signal }) => parseExact(await exactText(fillPath('/api/v1/namespaces/{namespace}/jobs/{job}', { namespace: job.namespace, job: job.name }), signal)),
  });
  return (
    <Panel title={t.jobDetail.tabs.definition} aside={<Prose text={t.jobDetail.definitionNote} />}>
      <Loaded query={query} what={t.jobDetail.tabs.definition}>
        {(json) => {
          const spec = json.kind === 'object' ? json.members.find(([name]) => name === 'spec')?.[1] : undefined;
          return <JsonView json={spec ?? json} open={4} />;
        }}
      </Loaded>
    </Panel>
  );
}
