import { Link } from '@tanstack/react-router';
import type { Dashboard } from './queries';
import { Distance, Instant } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { instant } from '@/lib/time';
import css from './Dashboard.module.css';
import { Spread } from './Spread';
import { isHerd, peakOf, upcoming } from './model';

const WIDTH = 600;
const HEIGHT = 48;
const SHOWN = 6;

/** Fires to come, and the first of them by name: one line a job. */
export function NextHour({ parts, isComplete, ns }: { parts: Dashboard['next_hour']; isComplete: boolean; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const peak = peakOf(parts);
  if (!peak) return <p className={css.quiet}>{t.dashboard.nextNone}</p>;
  const step = WIDTH / parts.length;
  const jobs = upcoming(parts);
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
      <ul className={css.upcoming}>
        {jobs.slice(0, SHOWN).map((fire) => (
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
    </>
  );
}
