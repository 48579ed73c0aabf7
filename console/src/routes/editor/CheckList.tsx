import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useT } from '@/i18n';
import css from './Editor.module.css';
import type { Checks } from './useChecks';

/** What is wrong with a text, what is probably not meant, or that it can be saved. */
export function CheckList({ checks }: { checks: Checks }) {
  const t = useT();
  if (checks.parsed.errors.length > 0) {
    return (
      <ul className={css.checks}>
        {checks.parsed.errors.slice(0, 5).map((error) => (
          <li key={error.from} className={css.bad}>
            <TriangleAlert size={13} aria-hidden="true" /> {error.message}
          </li>
        ))}
      </ul>
    );
  }
  if (checks.failure) return <p className={css.bad}>{checks.failure}</p>;
  if (checks.parsed.value && checks.name === '') return <p className={css.bad}>{t.editor.needsName}</p>;
  return (
    <ul className={css.checks}>
      {checks.problems.map((problem, index) => (
        <li key={index} className={css.bad}>
          <TriangleAlert size={13} aria-hidden="true" />
          <span>
            {problem.pointer && <code>{problem.pointer}</code>} {problem.message}
            {problem.hint && <span className={css.quiet}> {problem.hint}</span>}
          </span>
        </li>
      ))}
      {checks.warnings.map((problem, index) => (
        <li key={`w${index}`} className={css.warn}>
          <TriangleAlert size={13} aria-hidden="true" />
          <span>
            {problem.message}
            {problem.hint && <span className={css.quiet}> {problem.hint}</span>}
          </span>
        </li>
      ))}
      {checks.isValid && (
        <li className={css.good}>
          <CircleCheck size={13} aria-hidden="true" /> {t.editor.ok}
        </li>
      )}
    </ul>
  );
}
