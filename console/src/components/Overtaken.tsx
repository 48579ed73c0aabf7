import { Suspense, lazy, useEffect, useState } from 'react';
import { useT } from '@/i18n';
import { Button } from './Button';
import css from './Dialog.module.css';
import { Failure, Skeleton } from './Feedback';

const DiffView = lazy(() => import('@/routes/editor/DiffView').then(({ DiffView }) => ({ default: DiffView })));

/** What somebody else has saved since. */
export interface Rival {
  text: string;
  /** Goes on from theirs. */
  take: () => void;
  /** Saves what is in the form in place of theirs. */
  replace: () => void;
}

export interface OvertakenProps {
  /** What is in the form, as text. */
  mine: string;
  /** Reads what is saved now. */
  find: () => Promise<Rival>;
  /** Whether it was to be new, and its name is taken. */
  isNew?: boolean;
}

/** Somebody else has saved the same thing since it was opened: both versions, and what can become of them. */
export function Overtaken({ mine, find, isNew = false }: OvertakenProps) {
  const t = useT();
  const [rival, setRival] = useState<Rival>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let isOver = false;
    find().then(
      (found) => isOver || setRival(found),
      (reason: unknown) => isOver || setError(reason),
    );
    return () => {
      isOver = true;
    };
    // Once for each time that a save was refused: the page around may be drawn again meanwhile.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  if (error) return <Failure error={error} what={t.editor.theirs} />;
  return (
    <div className={css.overtaken} role="alert">
      <p>
        <strong>{isNew ? t.editor.takenTitle : t.editor.overtakenTitle}</strong> {t.editor.staleText}
      </p>
      {rival ? (
        <>
          <Suspense fallback={<Skeleton lines={4} />}>
            <DiffView before={rival.text} after={mine} beforeLabel={t.editor.theirs} afterLabel={t.editor.yours} />
          </Suspense>
          <div className={css.choices}>
            <Button onClick={rival.take}>{t.editor.takeTheirs}</Button>
            <Button tone="danger" onClick={rival.replace}>
              {t.editor.overwrite}
            </Button>
          </div>
        </>
      ) : (
        <Skeleton lines={4} />
      )}
    </div>
  );
}

/** A thing as text, for a comparison. */
export function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
