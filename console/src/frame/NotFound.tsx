import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useT } from '@/i18n';
import css from './Full.module.css';

export function NotFound() {
  const t = useT();
  return (
    <div className={css.full}>
      <Compass size={30} strokeWidth={1.3} aria-hidden="true" />
      <h1>{t.shell.notFoundTitle}</h1>
      <p>{t.shell.notFoundText}</p>
      <Link to="/">{t.shell.goDashboard}</Link>
    </div>
  );
}
