import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Distance, Instant } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { instant } from '@/lib/time';
import css from './Dashboard.module.css';
import { Spread } from './Spread';
import { isHerd, later, peakOf, upcoming } from './model';
import { type Dashboard, laterQuery } from './queries';

const WIDTH = 600;
const HEIGHT = 48;
const SHOWN = 6;
const HOUR_MS = 3_600_000;

/** Fires to come, and the first of them by name: one line a job. */
export function NextHour({ parts, isComplete, ns }: { parts: Dashboard['next_hour']; isComplete: boolean; ns: string }) {
  const t = useT();
  const jobs = upcoming(parts).slice(0, SHOWN);
  const rest = useQuery({ ...laterQuery(ns, 2 * SHOWN), enabled: jobs.length < SHOWN }).data ?? [];
  // The hour is counted once in a while: a job that is younger is not in it, and to say that none fires would be wrong.
  const isYoung = peakOf(parts) === undefined && rest.some(({ next_fire_at: at }) => at && instant(at) - serverNow() < HOUR_MS);
  return (
    <>
      {!isYoung && <Hour parts={parts} isComplete={isComplete} />}
      <Fires fires={jobs} ns={ns} />
      {jobs.length < SHOWN && <Later fires={later(jobs, rest).slice(0, SHOWN - jobs.length)} hasAny={jobs.length > 0} ns={ns} />}
      {peakOf(parts) === undefined && rest.length === 0 && <p className={css.quiet}>{t.dashboard.laterNone}</p>}
    </>
  );
}

type Fire = Dashboard['next_hour'][number]['top'][number];

/** What fires after the next hour, where few jobs do within it. */
function Later({ fires, hasAny, ns }: { fires: readonly Fire[]; hasAny: boolean; ns: string }) {
  const t = useT();
  if (fires.length === 0) return null;
  return (
    <>
      {hasAny && <h3 className={css.later}>{t.dashboard.later}</h3>}
      <Fires fires={fires} ns={ns} />
    </>
  );
}

function Hour({ parts, isComplete }: { parts: Dashboard['next_hour']; isComplete: boolean }) {
  const t = useT();
  const formats = useFormats();
  const peak = peakOf(parts);
  if (!peak) return <p className={css.quiet}>{t.dashboard.nextNone}</p>;
  const step = WIDTH / parts.length;
  return (
    <>
      <svg className={css.minutes} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${t.dashboard.perPart}: ${parts.map((part) => part.fires).join(', ')}`}>
        {parts.map((part, index) => {
          const height = (part.fires / peak.fires) * HEIGHT;
          return (
            <rect key={part.at} x={index * step + 2} width={step - 4} y={HEIGHT - height} height={height} className={part === peak ? css.peak : css.minute}>
              <title>{`${t.dashboard.fires(part.fires, formats.number(part.fires))}\n${part.top.map(({ job }) => job).join('\n')}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={css.peakLine}>
        {t.dashboard.peak(t.dashboard.fires(peak.fires, formats.number(peak.fires)))} <Instant at={peak.at} precision="minute" />
        {isHerd(parts, peak) && <Spread peak={peak} />}
        {!isComplete && ` · ${t.dashboard.incomplete}`}
      </p>
    </>
  );
}

function Fires({ fires, ns }: { fires: readonly Fire[]; ns: string }) {
  return (
    <ul className={css.upcoming}>
      {fires.map((fire) => (
        <li key={`${fire.namespace}/${fire.job}`}>
          <Instant at={fire.at} />
          <Link to="/ns/$ns/jobs/$job" params={{ ns: fire.namespace, job: fire.job }}>
            {fire.job}
          </Link>
          {ns === '-' && <span className={css.quiet}>{fire.namespace}</span>}
          <span className={css.quiet}>
            <Distance ms={instant(fire.at)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
