import { Link } from '@tanstack/react-router';
import { useNamespace } from '@/frame/namespace';
import { useT } from '@/i18n';
import css from './Xxl.module.css';
import table from './Table.module.css';

/** Where each page and button of XXL-JOB's console is here: page, and what of it the address shows. */
const places = {
  dashboard: { to: '/ns/$ns' },
  jobs: { to: '/ns/$ns/jobs' },
  add: { to: '/ns/$ns/jobs/new' },
  once: { to: '/ns/$ns/jobs' },
  startStop: { to: '/ns/$ns/jobs' },
  next: { to: '/ns/$ns/jobs', search: { sort: 'next' } },
  route: { to: '/ns/$ns/jobs/new' },
  glue: { to: '/ns/$ns/jobs' },
  child: { to: '/ns/$ns/jobs/new', search: { mode: 'yaml' } },
  logs: { to: '/ns/$ns/runs' },
  rolling: { to: '/ns/$ns/runs', search: { q: 'state:running' } },
  kill: { to: '/ns/$ns/runs', search: { q: 'state:running' } },
  lost: { to: '/ns/$ns/misfires' },
  clear: { to: '/settings' },
  groups: { to: '/xxl' },
  instances: { to: '/xxl' },
  token: { to: '/xxl' },
  alarm: { to: '/ns/$ns/alerts', search: { tab: 'rules' } },
  users: { to: '/settings' },
} as const;

type Place = keyof typeof places;

/** For people who come from XXL-JOB: where its pages and buttons are now, and what is different. */
export function Moved() {
  const t = useT();
  const ns = useNamespace();
  const { rows } = t.xxl;
  return (
    <div className={css.parts}>
      <p className={css.intro}>{t.xxl.movedText}</p>
      <div className={table.box} tabIndex={0} role="region" aria-label={t.xxl.moved}>
        <table className={`${table.table} ${css.moved}`}>
          <thead>
            <tr>
              <th scope="col">{t.xxl.there}</th>
              <th scope="col">{t.xxl.here}</th>
              <th scope="col">{t.xxl.differs}</th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(places) as Place[]).map((place) => (
              <tr key={place}>
                <th scope="row">{rows[place][0]}</th>
                <td>
                  <Link to={places[place].to as never} params={{ ns } as never} search={('search' in places[place] ? places[place].search : {}) as never}>
                    {rows[place][1]}
                  </Link>
                </td>
                <td>{rows[place][2]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
