import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StackedBars } from '@/components/Bars';
import { Failure, Loaded, Skeleton, StaleNote } from '@/components/Feedback';
import { Took, useZone } from '@/components/Instant';
import { Page, Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { useKeys } from '@/lib/keys';
import { formatInstant } from '@/lib/time';
import { clusterQuery } from '../cluster/queries';
import { jobsQuery } from '../jobs/queries';
import { queuesQuery } from '../queues/queries';
import { workersQuery } from '../workers/queries';
import { AttentionList } from './Attention';
import css from './Dashboard.module.css';
import { Lateness } from './Lateness';
import { NextHour } from './NextHour';
import { Start } from './Start';
import { attention, buckets, count, longest, results } from './model';
import { type Range, type RunsSeen, nextHourQuery, runsInRangeQuery } from './queries';
import { dashboardRoute, ranges } from './routes';

export function DashboardPage() {
  const t = useT();
  const { ns } = dashboardRoute.useParams();
  const { range = '1h' } = dashboardRoute.useSearch();
  const navigate = useNavigate();
  const runs = useQuery(runsInRangeQuery(ns, range));
  const jobs = useInfiniteQuery(jobsQuery(ns, {}));
  const next = useQuery(nextHourQuery(ns));
  const go = (to: Range) => void navigate({ to: '.', search: { range: to } as never, replace: true });
  useKeys(ranges.map((each, index) => ({ keys: String(index + 1), label: `${t.dashboard.range}: ${t.dashboard.ranges[each]}`, group: t.shell.groupPage, run: () => go(each) })));

  const isNew = jobs.data?.pages[0]?.items.length === 0 && (runs.data?.runs.length ?? 1) === 0;
  return (
    <Page
      title={t.dashboard.title}
      actions={
        <div className={css.ranges} role="group" aria-label={t.dashboard.range}>
          {ranges.map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => go(each)}>
              {t.dashboard.ranges[each]}
            </button>
          ))}
        </div>
      }
    >
      {isNew ? (
        <Start ns={ns} />
      ) : (
        <>
          {runs.data && runs.error && <StaleNote error={runs.error} onRetry={() => void runs.refetch()} />}
          {runs.data ? (
            <Body seen={runs.data} ns={ns} range={range} />
          ) : runs.error ? (
            <Failure error={runs.error} what={t.dashboard.runs} onRetry={() => void runs.refetch()} />
          ) : (
            <Skeleton lines={10} />
          )}
          <div className={css.two}>
            <Panel title={t.dashboard.nextHour}>
              <Loaded query={next} what={t.dashboard.nextHour}>
                {(fires) => <NextHour fires={fires} now={serverNow()} ns={ns} />}
              </Loaded>
            </Panel>
            <Panel title={t.dashboard.longest}>{runs.data ? <Longest seen={runs.data} ns={ns} /> : <Skeleton lines={3} />}</Panel>
          </div>
        </>
      )}
    </Page>
  );
}

function Body({ seen, ns, range }: { seen: RunsSeen; ns: string; range: Range }) {
  const t = useT();
  const formats = useFormats();
  const zone = useZone();
  const queues = useQuery(queuesQuery).data ?? [];
  const now = serverNow();
  const bars = buckets(seen.runs, seen.from, now);
  const at = (ms: number, date = false) => formatInstant(ms, { zone, language: formats.language, now, precision: now - seen.from < 3_600_000 ? 'second' : 'minute', offset: false, date });
  const items = attention(seen.runs, queues, now);
  return (
    <>
      <Counters seen={seen} ns={ns} />
      <div className={css.two}>
        <Panel title={t.dashboard.chart} aside={seen.cut ? t.dashboard.cut(formats.number(seen.runs.length)) : undefined}>
          <StackedBars
            title={t.dashboard.chart}
            parts={results.map((state) => ({ state, word: t.states.words[state] }))}
            bars={bars.map((bar) => ({ label: at(bar.at, true), values: results.map((result) => bar[result]) }))}
            from={at(seen.from)}
            to={t.dashboard.now}
          />
        </Panel>
        <Panel title={t.dashboard.attention} aside={items.length > 0 ? formats.number(items.length) : t.dashboard.ranges[range]}>
          <AttentionList items={items} ns={ns} />
        </Panel>
      </div>
      <Panel title={t.dashboard.lateness} aside={t.dashboard.lateHint}>
        <Lateness bars={bars} />
      </Panel>
    </>
  );
}

function Counters({ seen, ns }: { seen: RunsSeen; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const queues = useQuery(queuesQuery).data;
  const workers = useQuery(workersQuery).data;
  const nodes = useQuery(clusterQuery).data?.nodes;
  const all = count(seen.runs);
  const final = all.succeeded + all.failed;
  const sum = (key: 'running' | 'queued') => queues?.reduce((total, queue) => total + queue[key], 0);
  const from = new Date(seen.from).toISOString();
  const runs = (q?: string) => ({ to: '/ns/$ns/runs', params: { ns }, search: q ? { q, from } : { from } }) as const;
  const shown = (value: number | undefined) => (value === undefined ? '—' : formats.number(value));
  return (
    <ul className={css.counters}>
      <Counter label={t.dashboard.runs} value={seen.cut ? `≥ ${formats.number(all.runs)}` : formats.number(all.runs)} link={<Link {...runs()} />} />
      <Counter
        label={t.dashboard.failed}
        value={formats.number(all.failed)}
        note={final > 0 ? formats.percent(all.failed / final) : undefined}
        tone={all.failed > 0 ? 'bad' : undefined}
        link={<Link {...runs('state:failed')} />}
      />
      <Counter label={t.dashboard.late} value={all.lateP99 === undefined ? '—' : formats.duration(all.lateP99)} />
      <Counter label={t.dashboard.running} value={shown(sum('running'))} link={<Link to="/ns/$ns/runs" params={{ ns }} search={{ q: 'state:running' }} />} />
      <Counter label={t.dashboard.queued} value={shown(sum('queued'))} link={<Link to="/ns/$ns/queues" params={{ ns }} />} />
      <Counter
        label={t.dashboard.workers}
        value={shown(workers?.length)}
        note={nodes && (nodes.length === 1 ? t.dashboard.oneNode : t.dashboard.nodes(formats.number(nodes.length)))}
        link={<Link to="/ns/$ns/workers" params={{ ns }} />}
      />
    </ul>
  );
}

function Counter({ label, value, note, tone, link }: { label: string; value: ReactNode; note?: ReactNode; tone?: 'bad' | undefined; link?: React.ReactElement<{ className?: string; children?: ReactNode }> }) {
  const inner = (
    <>
      <span className={css.counterLabel}>{label}</span>
      <span className={css.value}>{value}</span>
      {note && <span className={css.counterNote}>{note}</span>}
    </>
  );
  return (
    <li className={css.counter} data-tone={tone}>
      {link ? <link.type {...link.props}>{inner}</link.type> : <div>{inner}</div>}
    </li>
  );
}

function Longest({ seen, ns }: { seen: RunsSeen; ns: string }) {
  const t = useT();
  const items = longest(seen.runs);
  if (items.length === 0) return <p className={css.quiet}>{t.dashboard.longestNone}</p>;
  return (
    <ul className={css.upcoming}>
      {items.map((run) => (
        <li key={run.id}>
          <span className={css.took}>
            <Took from={run.started_at} to={undefined} />
          </span>
          <Link to="/ns/$ns/runs/$run" params={{ ns, run: run.id }}>
            {run.job}
          </Link>
          <span className={css.quiet}>{run.worker ?? run.queue}</span>
        </li>
      ))}
    </ul>
  );
}
