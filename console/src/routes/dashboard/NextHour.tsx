import { Link } from '@tanstack/react-router';
import type { components } from '@/api/schema';
import { Distance, Instant } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { instant } from '@/lib/time';
import css from './Dashboard.module.css';
import { nextHour } from './model';
import { FIRES_MAX } from './queries';

type NextFire = components['schemas']['NextFire'];

const WIDTH = 600;
const HEIGHT = 48;
const SHOWN = 6;

/** Fires to come, minute by minute, and the first of them by name: one line a job. */
export function NextHour({ fires, now, ns }: { fires: readonly NextFire[]; now: number; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const { minutes, peak } = nextHour(fires, now);
  if (fires.length === 0) return <p className={css.quiet}>{t.dashboard.nextNone}</p>;
  const max = Math.max(1, ...minutes);
  const step = WIDTH / minutes.length;
  const first = new Map<string, NextFire>();
  for (const fire of fires) if (!first.has(fire.job)) first.set(fire.job, fire);
  const jobs = [...first.values()];
  return (
    <>
      <svg className={css.minutes} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${t.dashboard.perMinute}: ${minutes.join(', ')}`}>
        {minutes.map((count, index) => (
          <rect key={index} x={index * step + 1} width={step - 2} y={HEIGHT - (count / max) * HEIGHT} height={(count / max) * HEIGHT} className={count === max ? css.peak : css.minute}>
            <title>{`+${index} ${t.time.units.m}: ${count}`}</title>
          </rect>
        ))}
      </svg>
      {peak && (
        <p className={css.peakLine}>
          {t.dashboard.peak(t.dashboard.fires(peak.fires, formats.number(peak.fires)))} <Instant at={new Date(peak.at).toISOString()} precision="minute" />
          {fires.length >= FIRES_MAX && ` · ${t.dashboard.firesCut(formats.number(FIRES_MAX))}`}
        </p>
      )}
      <ul className={css.upcoming}>
        {jobs.slice(0, SHOWN).map((fire) => (
          <li key={fire.job}>
            <Instant at={fire.due_at} zone={fire.timezone} />
            <Link to="/ns/$ns/jobs/$job" params={{ ns, job: fire.job }}>
              {fire.job}
            </Link>
            <span className={css.quiet}>
              <Distance ms={instant(fire.due_at)} />
            </span>
          </li>
        ))}
      </ul>
      {jobs.length > SHOWN && <p className={css.quiet}>{t.dashboard.more(formats.number(jobs.length - SHOWN))}</p>}
    </>
  );
}
