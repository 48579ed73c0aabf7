import { type ReactNode, useEffect } from 'react';
import { InPage } from './inPage';
import css from './Page.module.css';

export interface PageProps {
  title: string;
  /** In place of the title, where it needs more than text. */
  heading?: ReactNode;
  /** Where it belongs, above the title. */
  trail?: ReactNode;
  /** Facts beside the title. */
  facts?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Fills the window, and lets its table or log scroll inside. */
  fill?: boolean;
}

export function Page({ title, heading, trail, facts, actions, children, fill = false }: PageProps) {
  useEffect(() => {
    document.title = `${title} · mainspring`;
  }, [title]);
  return (
    <div className={fill ? css.fill : css.page}>
      <header className={css.head}>
        <div className={css.names}>
          {trail && <div className={css.trail}>{trail}</div>}
          <div className={css.line}>
            <h1>{heading ?? title}</h1>
            {facts && <div className={css.facts}>{facts}</div>}
          </div>
        </div>
        {actions}
      </header>
      <InPage value>{children}</InPage>
    </div>
  );
}

/** A part of a page, with a heading. */
export function Panel({ title, aside, children, flush = false }: { title?: ReactNode; aside?: ReactNode; children: ReactNode; flush?: boolean }) {
  return (
    <section className={css.panel}>
      {title && (
        <header className={css.panelHead}>
          <h2>{title}</h2>
          {aside && <div className={css.aside}>{aside}</div>}
        </header>
      )}
      <div className={flush ? css.flush : css.panelBody}>{children}</div>
    </section>
  );
}

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [ReactNode, ReactNode] | undefined | false)[] }) {
  return (
    <dl className={css.facts2}>
      {rows.map((row, index) =>
        row ? (
          <div key={index}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
