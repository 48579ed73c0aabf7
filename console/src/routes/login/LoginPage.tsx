import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { raw } from '@/api/client';
import { asApiError } from '@/api/problem';
import { Logo } from '@/components/Logo';
import { useT } from '@/i18n';
import { resumeLive } from '@/lib/live';
import { signedIn } from '@/lib/session';
import css from './login.module.css';
import { loginRoute } from './routes';
import { TokenForm } from './TokenForm';

/** Signs in by the code in the address's fragment, which no server and no proxy has seen; else by a token. */
export function LoginPage() {
  const t = useT();
  const { next } = loginRoute.useSearch();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const [trying, setTrying] = useState(location.hash.length > 1);
  const started = useRef(false);

  const enter = () => {
    signedIn();
    resumeLive();
    // Only ever a page of this console.
    void navigate({ to: next?.startsWith('/') && !next.startsWith('//') ? next : '/', replace: true } as never);
  };

  useEffect(() => {
    document.title = `${t.login.title} · mainspring`;
  }, [t]);

  useEffect(() => {
    const code = decodeURIComponent(location.hash.slice(1));
    if (code === '' || started.current) return;
    started.current = true;
    // A code works once: it has no business in the history.
    history.replaceState(history.state, '', location.pathname + location.search);
    raw('POST', '/api/v1/session', { code }).then(enter, (error: unknown) => {
      const { status, message } = asApiError(error);
      setProblem(status === 401 ? t.login.codeRefused : status === 0 ? t.errors.noAnswer : message);
      setTrying(false);
    });
  });

  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo size={34} />
          <span>mainspring</span>
        </div>
        <h1>{t.login.title}</h1>
        {trying ? <p role="status">{t.login.working}</p> : <TokenForm onDone={enter} problem={problem} />}
      </div>
    </main>
  );
}
