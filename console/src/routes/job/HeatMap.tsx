import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { History, Rewind } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { api, ask, raw } from '@/api/client';
import { Button } from '@/components/Button';
import { Loaded } from '@/components/Feedback';
import { Instant, useZone } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { quoted } from '@/lib/query';
import { instant } from '@/lib/time';
import { type RunList, runsPath } from '../runs/queries';
import css from './HeatMap.module.css';
import { HourMap } from './HourMap';
import { type Day, dayIn, daysOf, levelOf, weeksAround } from './heat';
import { monthsOf } from './hours';
import { type Job, type Trigger, anchorOf, triggersQuery } from './queries';

const WEEKS = 26;
/** Runs that are looked at, newest first. */
const RUNS_MAX = 5000;
/** Fires of a trigger that the server computes at once. */
const FIRES_MAX = 1000;

/** Half a year of runs and half a year of fires to come, by day. */
export function HeatMap({ job }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const zone = useZone(job.spec.timezone);
  const triggers = useQuery(triggersQuery(job.namespace, job.name)).data?.items;
  const past = useQuery({
    queryKey: ['heat-runs', job.namespace, job.name],
    queryFn: ({ signal }) => runsOf(job, signal),
    meta: { topics: [`job:${job.namespace}/${job.name}`], every: 30_000 },
  });
  const future = useQuery({
    queryKey: ['heat-fires', job.namespace, job.name, triggers?.map(({ key, version }) => `${key} ${version}`)],
    queryFn: ({ signal }) => firesOf(job, triggers ?? [], signal),
    enabled: triggers !== undefined,
  });
  return (
    <Loaded query={past} what={t.jobDetail.heat.title}>
      {({ runs, isAll }) => (
        <>
          <Panel title={t.jobDetail.heat.title} aside={zone}>
            <Year job={job} days={daysOf(runs, future.data?.fires ?? [], zone)} zone={zone} />
            {!isAll && <p className={css.quiet}>{t.jobDetail.heat.newest(formats.number(runs.length))}</p>}
            {future.data?.until && (
              <p className={css.quiet}>
                {t.jobDetail.heat.until} <Instant at={future.data.until} zone={zone} date />
              </p>
            )}
          </Panel>
          <Panel title={t.jobDetail.heat.hours} aside={zone}>
            <HourMap namespace={job.namespace} months={monthsOf(runs, future.data?.fires ?? [], zone)} zone={zone} />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

async function runsOf(job: Job, signal: AbortSignal): Promise<{ runs: RunList['items']; isAll: boolean }> {
  const from = new Date(serverNow() - (WEEKS + 1) * 7 * 86_400_000).toISOString();
  const runs: RunList['items'] = [];
  let cursor: string | null | undefined;
  do {
    const page: RunList = await raw<RunList>('GET', `${runsPath(job.namespace, { job: job.name, from })}&limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`, undefined, signal);
    runs.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && runs.length < RUNS_MAX);
  return { runs, isAll: !cursor };
}

/** Fires of all triggers; `until` says how far they were computed, where that is less than half a year. */
async function firesOf(job: Job, triggers: readonly Trigger[], signal: AbortSignal) {
  const until = new Date(serverNow() + (WEEKS + 1) * 7 * 86_400_000).toISOString();
  const asked = triggers.filter(({ kind, paused }) => kind !== 'delay' && !paused);
  const previews = await Promise.all(
    asked.map((trigger) => ask(api.POST('/api/v1/schedules/preview', { body: { trigger: { ...trigger.spec, timezone: trigger.timezone, calendar: trigger.calendar ?? null, ...anchorOf(trigger) }, namespace: job.namespace, count: FIRES_MAX, until }, signal }))),
  );
  const ends = previews.flatMap(({ fires }) => (fires.length >= FIRES_MAX ? [fires.at(-1)?.at ?? ''] : [])).sort();
  return { fires: job.paused ? [] : previews.flatMap(({ fires }) => fires), until: ends[0] };
}

function Year({ job, days, zone }: { job: Job; days: ReadonlyMap<string, Day>; zone: string }) {
  const t = useT();
  const formats = useFormats();
  const navigate = useNavigate();
  const today = dayIn(zone)(serverNow());
  const weeks = weeksAround(today, WEEKS);
  const [active, setActive] = useState(today);
  const table = useRef<HTMLTableElement>(null);
  // A narrow window shows the days around today.
  useEffect(() => {
    const day = table.current?.querySelector<HTMLElement>('[data-today]');
    const box = table.current?.parentElement;
    if (day && box) box.scrollLeft = day.offsetLeft - box.clientWidth / 2;
  }, []);
  const tag = formats.language === 'zh' ? 'zh-CN' : 'en-GB';
  const month = new Intl.DateTimeFormat(tag, { month: 'short', timeZone: 'UTC' });
  const weekday = new Intl.DateTimeFormat(tag, { weekday: 'short', timeZone: 'UTC' });
  const long = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeZone: 'UTC' });
  const most = (of: (day: Day) => number) => Math.max(0, ...[...days.values()].map(of));
  const mostRuns = most((day) => day.runs);
  const mostPlanned = most((day) => day.planned);
  const words = (name: string, day: Day | undefined) => {
    const parts = [day && day.runs > 0 && t.jobDetail.heat.runs(formats.number(day.runs), formats.number(day.failed)), day && day.planned > 0 && t.jobDetail.heat.planned(formats.number(day.planned)), day && day.excluded > 0 && t.jobDetail.heat.excluded(formats.number(day.excluded))].filter(Boolean);
    return t.jobDetail.heat.of(long.format(Date.parse(`${name}T12:00:00Z`)), parts.length > 0 ? parts.join(t.jobDetail.heat.and) : t.jobDetail.heat.nothing);
  };
  const open = (day: Day | undefined) => {
    if (!day?.first || !day.last) return;
    const to = new Date(instant(day.last) + 1).toISOString();
    void navigate({ to: '/ns/$ns/runs', params: { ns: job.namespace }, search: { q: `job:${quoted(job.name)}`, from: day.first, to } });
  };
  const backfill = (day: string) => void navigate({ to: '/ns/$ns/backfills/new', params: { ns: job.namespace }, search: { job: job.name, from: day, to: day, timezone: zone, reprocess: 'failed' } });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = new Date(Date.parse(`${active}T12:00:00Z`) + step * 86_400_000).toISOString().slice(0, 10);
    if (!weeks.flat().includes(next)) return;
    setActive(next);
    table.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  return (
    <div className={css.scroll}>
      <table ref={table} className={css.year} aria-label={t.jobDetail.heat.title} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <td />
            {weeks.map((week) => {
              const first = week.find((day) => day.endsWith('-01'));
              return first ? (
                <th key={week[0]} scope="col">
                  {month.format(Date.parse(`${first}T12:00:00Z`))}
                </th>
              ) : (
                <td key={week[0]} />
              );
            })}
          </tr>
        </thead>
        <tbody>
          {[0, 1, 2, 3, 4, 5, 6].map((row) => (
            <tr key={row}>
              <th scope="row">{weekday.format(Date.parse(`${weeks[0]?.[row]}T12:00:00Z`))}</th>
              {weeks.map((week) => {
                const name = week[row] ?? '';
                const day = days.get(name);
                return (
                  <td key={name}>
                    <button
                      type="button"
                      className={css.day}
                      data-day={name}
                      data-today={name === today || undefined}
                      data-failed={(day?.failed ?? 0) > 0 || undefined}
                      data-excluded={(day?.excluded ?? 0) > 0 || undefined}
                      data-runs={levelOf(day?.runs ?? 0, mostRuns) || undefined}
                      data-planned={levelOf(day?.planned ?? 0, mostPlanned) || undefined}
                      tabIndex={name === active ? 0 : -1}
                      aria-label={words(name, day)}
                      title={words(name, day)}
                      onFocus={() => setActive(name)}
                      onClick={() => setActive(name)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {active <= today && (
        <p className={css.chosen}>
          {words(active, days.get(active))}
          {days.get(active)?.first && (
            <Button size="s" icon={History} onClick={() => open(days.get(active))}>
              {t.jobDetail.heat.showRuns}
            </Button>
          )}
          <Button size="s" icon={Rewind} onClick={() => backfill(active)}>
            {t.backfills.thisDay}
          </Button>
        </p>
      )}
      <p className={css.legend} aria-hidden="true">
        <i data-runs="3" /> {t.states.words.succeeded} <i data-runs="3" data-failed /> {t.jobDetail.heat.someFailed} <i data-planned="3" /> {t.jobDetail.heat.plannedWord} <i data-excluded /> {t.jobDetail.heat.excludedWord}
      </p>
    </div>
  );
}
