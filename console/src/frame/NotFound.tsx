import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useContext } from 'react';
import { useT } from '@/i18n';
import { InFrame } from './inFrame';
import css from './Full.module.css';

export function NotFound() {
  const t = useT();
  const Place = useContext(InFrame) ? 'div' : 'main';
  return (
    <Place className={css.full}>
      <Compass size={30} strokeWidth={1.3} aria-hidden="true" />
      <h1>{t.shell.notFoundTitle}</h1>
      <p>{t.shell.notFoundText}</p>
      <Link to="/">{t.shell.goDashboard}</Link>
    </Place>
  );
}
