import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/i18n';
import { type ApiError, asApiError } from '@/api/problem';
import { createStore, useStore } from '@/lib/store';
import { Button, IconButton } from './Button';
import css from './toast.module.css';

export interface Toast {
  text: ReactNode;
  tone?: 'good' | 'bad';
  /** Offers to take it back, for ten seconds. */
  undo?: () => void;
  link?: ReactNode;
  /** Stays until it is dismissed: it shows something that goes on. */
  stays?: boolean;
}

interface Kept extends Toast {
  id: number;
}

const toasts = createStore<readonly Kept[]>([]);
let last = 0;
/** How long something can be taken back. */
export const UNDO_MS = 10_000;

/** Says something in the corner, and returns the number under which it can be dismissed. */
export function toast(given: Toast): number {
  last += 1;
  const kept = { ...given, id: last };
  toasts.set((before) => [...before.slice(-3), kept]);
  // Bad news stays until it is read.
  if (given.tone !== 'bad' && !given.stays) setTimeout(() => dismiss(kept.id), given.undo ? UNDO_MS : 5000);
  return kept.id;
}

/** Says that an action failed, and why. */
export function toastError(what: string, error: unknown): void {
  const problem = asApiError(error);
  toast({
    tone: 'bad',
    text: (
      <>
        <strong>{what}</strong>
        <br />
        <Said problem={problem} />
      </>
    ),
  });
}

/** What the server says, in the reader's language where it is known. */
function Said({ problem }: { problem: ApiError }) {
  return <>{useT().said.both(problem)}</>;
}

export function dismiss(id: number): void {
  toasts.set((before) => before.filter((kept) => kept.id !== id));
}

/** Shows the toasts. Once, in the frame. */
export function Toasts() {
  const t = useT();
  const shown = useStore(toasts);
  return (
    <div className={css.stack} role="status" aria-live="polite">
      {shown.map((kept) => (
        <div key={kept.id} className={kept.tone === 'bad' ? css.bad : css.toast}>
          {kept.stays ? null : kept.tone === 'bad' ? <TriangleAlert size={15} aria-hidden="true" /> : <CircleCheck size={15} aria-hidden="true" />}
          <div className={css.text}>
            {kept.text} {kept.link}
          </div>
          {kept.undo && (
            <Button
              size="s"
              onClick={() => {
                dismiss(kept.id);
                kept.undo?.();
              }}
            >
              {t.common.undo}
            </Button>
          )}
          <IconButton label={t.common.dismiss} icon={X} tip={false} onClick={() => dismiss(kept.id)} />
        </div>
      ))}
    </div>
  );
}
