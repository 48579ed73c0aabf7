import css from './Progress.module.css';

/** How much of something is done; the part that failed stands at its end. */
export function Progress({ label, done, failed, total }: { label: string; done: number; failed: number; total: number }) {
  const part = (count: number) => `${total === 0 ? 100 : Math.min(100, (count / total) * 100)}%`;
  return (
    <div className={css.track} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={total} aria-valuenow={done + failed}>
      <span className={css.failed} style={{ width: part(done + failed) }} />
      <span className={css.done} style={{ width: part(done) }} />
    </div>
  );
}
