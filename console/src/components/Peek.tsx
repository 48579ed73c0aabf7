import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { IconButton } from './Button';
import { Skeleton } from './Feedback';
import css from './Peek.module.css';

/** A list, and beside it what one of its rows is in short. On phones that is a sheet over the list. */
export function Peeking({ children, panel }: { children: ReactNode; panel: ReactNode }) {
  return (
    <div className={css.split}>
      <div className={css.list}>{children}</div>
      {panel && <Suspense fallback={<Coming />}>{panel}</Suspense>}
    </div>
  );
}

/** Keeps the place of a panel whose code is on its way. */
function Coming() {
  return (
    <div className={css.panel}>
      <div className={css.body}>
        <Skeleton lines={10} />
      </div>
    </div>
  );
}

export interface PeekProps {
  /** What it shows, in words. */
  name: string;
  /** The heading: a link to its page. */
  heading: ReactNode;
  /** To the row above (-1) or below (1); absent where there is none. */
  onStep: (by: 1 | -1) => (() => void) | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** What a row is in short. Escape closes it, and the keys of the list go on in the list. */
export function Peek({ name, heading, onStep, onClose, children }: PeekProps) {
  const t = useT();
  const panel = useRef<HTMLElement>(null);
  const close = () => {
    // The row keeps the focus, so that the keys go on from there.
    const row = document.querySelector<HTMLElement>('tr[aria-current="true"]');
    if (panel.current?.contains(document.activeElement)) row?.focus();
    onClose();
  };
  useKeys([{ keys: 'Escape', label: t.peek.close, group: t.shell.groupPage, run: close }]);
  // A sheet covers the row that opened it.
  useEffect(() => {
    if (matchMedia('(max-width: 719px)').matches) panel.current?.focus();
  }, []);
  const [above, below] = [onStep(-1), onStep(1)];
  return (
    <aside ref={panel} className={css.panel} aria-label={t.peek.label(name)} tabIndex={-1}>
      <header className={css.head}>
        <h2>{heading}</h2>
        <IconButton label={t.peek.above} icon={ChevronUp} aria-disabled={!above || undefined} disabled={!above} onClick={above} />
        <IconButton label={t.peek.below} icon={ChevronDown} aria-disabled={!below || undefined} disabled={!below} onClick={below} />
        <IconButton label={t.common.close} icon={X} tip={false} onClick={close} />
      </header>
      <div className={css.body}>{children}</div>
    </aside>
  );
}

/** A part of it, under a small heading. */
export function PeekPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.part}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
