import { RotateCw, TriangleAlert } from 'lucide-react';
import { Button } from '@/components/Button';
import { useT } from '@/i18n';
import css from './Full.module.css';

/** In place of a page that threw. */
export function Crashed({ error, reset }: { error: unknown; reset: () => void }) {
  const t = useT();
  return (
    <div className={css.full} role="alert">
      <TriangleAlert size={30} strokeWidth={1.3} aria-hidden="true" />
      <h1>{t.shell.crashedTitle}</h1>
      <p>{t.shell.crashedText}</p>
      <code>{error instanceof Error ? error.message : String(error)}</code>
      <Button icon={RotateCw} onClick={reset}>
        {t.common.retry}
      </Button>
    </div>
  );
}
