import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import buttonCss from '@/components/Button.module.css';
import { CommandLine } from '@/components/Copy';
import { useT } from '@/i18n';
import css from './Dashboard.module.css';

/** In place of figures while there is nothing to count. */
export function Start({ ns }: { ns: string }) {
  const t = useT();
  return (
    <section className={css.start}>
      <h2>{t.dashboard.startTitle}</h2>
      <ol>
        <li>
          <h3>{t.dashboard.start1}</h3>
          <p>{t.dashboard.start1Text}</p>
          <Link to="/ns/$ns/jobs/new" params={{ ns }} className={`${buttonCss.button} ${buttonCss.primary}`}>
            <Plus size={14} aria-hidden="true" /> {t.jobs.newJob}
          </Link>
        </li>
        <li>
          <h3>{t.dashboard.start2}</h3>
          <p>{t.dashboard.start2Text}</p>
          <CommandLine text={`mainspring apply -f jobs.yaml -n ${ns}`} />
        </li>
        <li>
          <h3>{t.dashboard.start3}</h3>
          <p>{t.dashboard.start3Text}</p>
          <CommandLine text="mainspring next" />
        </li>
      </ol>
    </section>
  );
}
