import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '@/components/Page';
import { useT } from '@/i18n';
import { BackfillProgress } from '../backfills/parts';
import { backfillListQuery } from '../backfills/queries';
import css from './Dashboard.module.css';

const SHOWN = 5;

/** Backfills that run now, and how far they are: nothing where there are none. */
export function ActiveBackfills({ ns }: { ns: string }) {
  const t = useT();
  const { data = [] } = useQuery({ ...backfillListQuery(ns, 'active'), meta: { topics: ['runs', 'stats'], every: 5000 } });
  if (data.length === 0) return null;
  return (
    <Panel
      title={t.shell.backfills}
      aside={
        <Link to="/ns/$ns/backfills" params={{ ns }} search={{ state: 'active' }}>
          {t.common.all}
        </Link>
      }
    >
      <ul className={css.upcoming}>
        {data.slice(0, SHOWN).map((backfill) => (
          <li key={backfill.id}>
            <Link to="/ns/$ns/backfills/$backfill" params={{ ns: backfill.namespace, backfill: backfill.id }}>
              {backfill.job}
            </Link>
            <BackfillProgress backfill={backfill} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
