import { Link } from '@tanstack/react-router';
import { useT } from '@/i18n';
import css from '@/components/Segments.module.css';

/** What is written anew: a job or a flow. */
export function KindSwitch({ ns, kind }: { ns: string; kind: 'job' | 'flow' }) {
  const t = useT();
  return (
    <nav className={css.segments} aria-label={t.editor.writes}>
      <Link to="/ns/$ns/jobs/new" params={{ ns }} aria-current={kind === 'job' ? 'page' : undefined}>
        {t.editor.aJob}
      </Link>
      <Link to="/ns/$ns/flows/new" params={{ ns }} aria-current={kind === 'flow' ? 'page' : undefined}>
        {t.editor.aFlow}
      </Link>
    </nav>
  );
}
