import { Link } from '@tanstack/react-router';
import { CircleHelp } from 'lucide-react';
import type { components } from '@/api/schema';
import { useT } from '@/i18n';
import { Instant } from './Instant';
import { Prose, tells } from './Prose';
import css from './WhyPanel.module.css';

type Why = components['schemas']['Why'];

/** Says why something does not run now, in the server's words: the same as CLI and API give. */
export function WhyPanel({ why, namespace, zone, title }: { why: Why; namespace: string; zone?: string | null; title?: string }) {
  const t = useT();
  return (
    <section className={css.panel} aria-label={title ?? t.common.why}>
      <CircleHelp size={16} strokeWidth={1.8} aria-hidden="true" />
      <div>
        {title && <h2>{title}</h2>}
        <ol>
          {why.reasons.map((reason, index) => (
            <li key={`${reason.code}-${index}`}>
              <span className={css.message}>
                <Prose text={t.said.say(reason.code, reason.message)} zone={zone} />
              </span>
              {reason.until && !tells(reason.message, reason.until) && (
                <span className={css.until}>
                  {t.common.until} <Instant at={reason.until} zone={zone} relative focusable />
                </span>
              )}
              {reason.hint && <p className={css.hint}>{t.said.hint(reason.hint)}</p>}
              {(reason.runs?.length ?? 0) > 0 && (
                <p className={css.runs}>
                  {reason.runs?.slice(0, 10).map((run) => (
                    <Link key={run} to="/ns/$ns/runs/$run" params={{ ns: namespace, run }}>
                      {run}
                    </Link>
                  ))}
                </p>
              )}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
