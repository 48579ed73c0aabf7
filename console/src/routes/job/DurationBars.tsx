import { useNavigate } from '@tanstack/react-router';
import { useFormats, useT } from '@/i18n';
import { runState } from '@/states';
import type { Run } from '../runs/queries';
import { took } from './figures';
import css from './Job.module.css';

/** Bars that are as wide as a finger needs them. */
const SHOWN = 24;

/** One bar a run, the newest at the right: its height is how long it took, its colour how it ended. */
export function DurationBars({ runs }: { runs: readonly Run[] }) {
  const t = useT();
  const formats = useFormats();
  const navigate = useNavigate();
  // The style turns them round, so that a narrow screen begins with the newest.
  const shown = runs.slice(0, SHOWN);
  const longest = Math.max(1, ...shown.map((run) => took(run) ?? 0));
  return (
    <div className={css.bars} role="group" aria-label={t.jobDetail.duration}>
      {shown.map((run) => {
        const ms = took(run);
        const word = t.states.words[runState(run)];
        const label = ms === undefined ? word : `${word}, ${formats.duration(ms)}`;
        return (
          <button
            key={run.id}
            type="button"
            title={label}
            aria-label={label}
            data-state-word={runState(run)}
            onClick={() => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id } })}
          >
            <span style={{ height: `${Math.max(8, ((ms ?? longest) / longest) * 100)}%` }} />
          </button>
        );
      })}
    </div>
  );
}
