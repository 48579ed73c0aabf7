import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, cloneElement } from 'react';
import { namespacesQuery } from '@/api/queries';
import type { Dashboard } from './queries';
import { StackedBars } from '@/components/Bars';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Took, useZone } from '@/components/Instant';
import { Page, Panel } from '@/components/Page';
import { Segments } from '@/components/Segments';
import { useFormats, useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { stats } from '@/lib/live';
import { useStore } from '@/lib/store';
import { formatInstant, instant } from '@/lib/time';
import { ActiveBackfills } from './ActiveBackfills';
import { AttentionList } from './Attention';
import css from './Dashboard.module.css';
import { Lateness } from './Lateness';
import { NextHour } from './NextHour';
import { Start } from './Start';
import { coarser, misfireRange, results, runsOf } from './model';
import { type Range, dashboardQuery } from './queries';
import { dashboardRoute, ranges } from './routes';

/** Bars that fit a chart and can be pointed at. */
const BARS = 60;

export function DashboardPage() {
  const t = useT();
  const { ns } = dashboardRoute.useParams();
  const { range = '1h' } = dashboardRoute.useSearch();
  const navigate = useNavigate();
  const query = useQuery(dashboardQuery(ns, range));
  const namespaces = useQuery(namespacesQuery).data?.items;
  const go = (to: Range) => void navigate({ to: '.', search: { range: to } as never, replace: true });
  useKeys(ranges.map((each, index) => ({ keys: String(index + 1), label: `${t.dashboard.range}: ${t.dashboard.ranges[each]}`, group: t.shell.groupPage, run: () => go(each) })));

  const jobs = namespaces?.filter(({ name }) => ns === '-' || name === ns).reduce((sum, { job_count }) => sum + job_count, 0);
  const isNew = jobs === 0 && query.data?.counters.fires === 0;
  return (
    <Page
      title={t.dashboard.title}
      actions={<Segments label={t.dashboard.range} options={ranges.map((each) => [each, t.dashboard.ranges[each]] as const)} value={range} onChange={go} dense />}
    >
      {isNew ? (
        <Start ns={ns === '-' ? 'default' : ns} />
      ) : (
        <Loaded query={query} what={t.dashboard.title} skeleton={<Skeleton lines={14} />}>
          {(data) => <Body data={data} ns={ns} range={range} />}
        </Loaded>
      )}
    </Page>
  );
}

function Body({ data, ns, range }: { data: Dashboard; ns: string; range: Range }) {
  const t = useT();
  const formats = useFormats();
  const zone = useZone();
  const now = instant(data.now);
  const navigate = useNavigate();
  const bars = coarser(data.series, BARS);
  const open = (index: number) => void navigate({ to: '/ns/$ns/runs', params: { ns }, search: runsOf(bars, index) });
  const at = (text: string) =>
    formatInstant(instant(text), { zone, language: formats.language, now, precision: data.step_ms < 60_000 ? 'second' : 'minute', offset: false });
  return (
    <>
      <Counters data={data} ns={ns} range={range} />
      {ns !== '-' && <p className={css.quiet}>{data.counters_partial ? `${t.dashboard.counted} ${t.dashboard.partial}` : t.dashboard.counted}</p>}
      <div className={css.two}>
        <Panel title={t.dashboard.chart} aside={ns === '-' ? t.dashboard.table : undefined}>
          <StackedBars
            title={t.dashboard.chart}
            parts={results.map((state) => ({ state, word: t.states.words[state] }))}
            bars={bars.map((bar) => ({ label: at(bar.at), values: results.map((result) => bar[result]) }))}
            from={at(data.from)}
            to={t.dashboard.now}
            onOpen={open}
          />
        </Panel>
        <Panel title={t.dashboard.attention} aside={data.attention.length > 0 ? formats.number(data.attention.length) : undefined}>
          <AttentionList items={data.attention} ns={ns} />
        </Panel>
      </div>
      <Panel title={t.dashboard.lateness} aside={t.dashboard.lateHint}>
        <Lateness bars={bars} labels={bars.map((bar) => at(bar.at))} from={at(data.from)} spread={data.lateness.spread ?? []} />
      </Panel>
      <div className={css.two}>
        <Panel title={t.dashboard.nextHour}>
          <NextHour parts={data.next_hour} isComplete={data.next_hour_complete} ns={ns} />
        </Panel>
        <div className={css.stack}>
          <Panel title={t.dashboard.longest}>
            <Longest data={data} />
          </Panel>
          <ActiveBackfills ns={ns} />
        </div>
      </div>
    </>
  );
}

function Counters({ data, ns, range }: { data: Dashboard; ns: string; range: Range }) {
  const t = useT();
  const formats = useFormats();
  const { counters, from } = data;
  // Once a second, where the stream brings it.
  const now = useStore(stats);
  const final = counters.succeeded + counters.failed;
  const runs = (q?: string) => <Link to="/ns/$ns/runs" params={{ ns }} search={q ? { q, from } : { from }} />;
  return (
    <ul className={css.counters}>
      <Counter label={t.dashboard.runs} value={formats.number(final + counters.cancelled + counters.skipped)} link={runs()} />
      <Counter
        label={t.dashboard.failed}
        value={formats.number(counters.failed)}
        note={final > 0 ? formats.percent(counters.failed / final) : undefined}
        tone={counters.failed > 0 ? 'bad' : undefined}
        link={runs('state:failed')}
      />
      <Counter label={t.dashboard.late} value={counters.late_p99_ms == null ? '—' : formats.duration(counters.late_p99_ms)} />
      <Counter label={t.dashboard.missed} value={formats.number(counters.missed)} tone={counters.missed > 0 ? 'bad' : undefined} link={<Link to="/ns/$ns/misfires" params={{ ns }} search={{ range: misfireRange(range) }} />} />
      <Counter label={t.dashboard.running} value={formats.number(now?.running ?? counters.running)} link={<Link to="/ns/$ns/runs" params={{ ns }} search={{ q: 'state:running' }} />} />
      <Counter label={t.dashboard.queued} value={formats.number(now?.queued ?? counters.queued)} link={<Link to="/ns/$ns/queues" params={{ ns }} />} />
      <Counter
        label={t.dashboard.workers}
        value={formats.number(counters.workers_alive)}
        note={counters.workers !== counters.workers_alive ? t.dashboard.workersOf(formats.number(counters.workers)) : undefined}
        tone={counters.workers !== counters.workers_alive ? 'bad' : undefined}
        link={<Link to="/ns/$ns/workers" params={{ ns }} />}
      />
    </ul>
  );
}

interface CounterProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: 'bad' | undefined;
  link?: ReactElement<{ children?: ReactNode }>;
}

function Counter({ label, value, note, tone, link }: CounterProps) {
  const inner = (
    <>
      <span className={css.counterLabel}>{label}</span>
      <span className={css.value}>{value}</span>
      {note && <span className={css.counterNote}>{note}</span>}
    </>
  );
  return (
    <li className={css.counter} data-tone={tone}>
      {link ? cloneElement(link, {}, inner) : <div>{inner}</div>}
    </li>
  );
}

function Longest({ data }: { data: Dashboard }) {
  const t = useT();
  const formats = useFormats();
  if (data.longest.length === 0) return <p className={css.quiet}>{t.dashboard.longestNone}</p>;
  return (
    <ul className={css.upcoming}>
      {data.longest.slice(0, 6).map((run) => (
        <li key={run.run}>
          <span className={css.took}>
            <Took from={run.started_at} to={undefined} />
          </span>
          <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.run }}>
            {run.job}
          </Link>
          {run.p95_ms != null && <span className={css.quiet}>{t.dashboard.usual(formats.duration(run.p95_ms))}</span>}
        </li>
      ))}
    </ul>
  );
}
