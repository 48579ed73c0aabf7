import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Operation, cancelOperation, operationQuery } from '@/api/operations';
import { Button } from '@/components/Button';
import { Progress } from '@/components/Progress';
import { UNDO_MS, dismiss, toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import css from './OperationNote.module.css';

const ERRORS_SHOWN = 5;

interface Followed {
  operation: Operation;
  /** Takes it back, where that can be done. */
  undo?: (() => void) | undefined;
}

/** Follows an operation in the corner of the page until it is over. */
export function followOperation(followed: Followed): void {
  const id: number = toast({ stays: true, text: <OperationNote {...followed} onClose={() => dismiss(id)} /> });
}

function OperationNote({ operation: begun, undo, onClose }: Followed & { onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const { data } = useQuery({ ...operationQuery(begun.id), initialData: begun, initialDataUpdatedAt: 0 });
  const { action, state, total, done, failed, errors = [] } = data;
  const isOver = state !== 'running';
  const count = (n: number) => (action === 'rerun' ? t.operations.runCount : t.jobs.jobCount)(n, formats.number(n));

  useEffect(() => {
    if (!isOver) return undefined;
    for (const key of ['jobs', 'runs']) void client.invalidateQueries({ queryKey: [key] });
    // Bad news stays until it is read.
    const timer = failed === 0 && state === 'done' ? setTimeout(onClose, UNDO_MS) : undefined;
    return () => clearTimeout(timer);
    // The note closes once, whatever its parent hands down again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver]);

  return (
    <div className={css.note}>
      <div className={css.line}>
        <strong>{isOver ? t.operations.did[action](count(done)) : t.operations.doing[action](count(total))}</strong>
        {!isOver && (
          <Button size="s" disabled={data.cancel_asked} onClick={() => void cancelOperation(begun.id).catch((error: unknown) => toastError(t.operations.cancel, error))}>
            {t.common.cancel}
          </Button>
        )}
        {isOver && undo && done > 0 && (
          <Button
            size="s"
            onClick={() => {
              onClose();
              undo();
            }}
          >
            {t.common.undo}
          </Button>
        )}
      </div>
      {!isOver && <Progress label={t.operations.doing[action](count(total))} done={done} failed={failed} total={total} />}
      {isOver && state !== 'done' && <span className={css.quiet}>{t.operations.states[state]}</span>}
      {failed > 0 && (
        <ul className={css.errors}>
          <li>
            <strong>{t.jobs.partly(formats.number(failed))}</strong>
          </li>
          {errors.slice(0, ERRORS_SHOWN).map(({ name, message }) => (
            <li key={name}>
              <code>{name}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {(failed > ERRORS_SHOWN || !isOver) && (
        <Link to="/operations" className={css.quiet}>
          {t.operations.all}
        </Link>
      )}
    </div>
  );
}
