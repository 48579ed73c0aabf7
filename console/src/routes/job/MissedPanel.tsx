import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TimerOff } from 'lucide-react';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { fetchMisfires } from '../misfires/queries';
import css from './Job.module.css';
import type { Job } from './queries';

const RANGE = '7d';
const SHOWN = 5;

/** Fire times of a job that did not become runs, each with its cause: nothing where there are none. */
export function MissedPanel({ job: { namespace, name } }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const { data } = useQuery({
    queryKey: ['job-missed', namespace, name],
    queryFn: ({ signal }) => fetchMisfires({ ns: namespace, range: RANGE, cause: undefined, job: name }, undefined, signal),
    meta: { topics: [`job:${namespace}/${name}`], every: 15_000 },
  });
  const rows = data?.items ?? [];
  if (rows.length === 0) return null;
  const all = (
    <Link to="/ns/$ns/misfires" params={{ ns: namespace }} search={{ job: name, range: RANGE }}>
      {t.jobDetail.missedAll}
    </Link>
  );
  return (
    <Panel title={t.jobDetail.missed} aside={all}>
      <ul className={css.missed}>
        {rows.slice(0, SHOWN).map((row) => (
          <li key={row.id}>
            <TimerOff size={14} aria-hidden="true" />
            <span>
              <Instant at={row.first} date focusable />
              {row.count > 1 && ` ${t.jobDetail.missedTo} `}
              {row.count > 1 && <Instant at={row.last} date focusable />}
              {row.count > 1 && <span className={css.quiet}> {t.jobDetail.missedCount(formats.number(row.count))}</span>}
              <span className={css.cause}>{t.misfires.causes[row.cause] ?? row.cause}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
