import { ExecutorLink } from '@/components/WorkerLink';
import { StateBadge } from '@/components/StateBadge';
import { Instant, Took } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { useNow } from '@/lib/clock';
import { asState } from '@/states';
import type { Attempt, Run } from './queries';
import css from './Run.module.css';
import { barsOf } from './times';

/** Attempts as bars over time, and as a table. */
export function Timeline({ run, attempts, zone }: { run: Run; attempts: readonly Attempt[]; zone: string | undefined }) {
  const t = useT();
  const formats = useFormats();
  const now = useNow();
  const { from, to, bars } = barsOf(run, attempts, now);
  const percent = (part: number) => `${(part * 100).toFixed(3)}%`;
  return (
    <div className={css.timeline}>
      <div className={css.axis} aria-hidden="true">
        <span>0</span>
        <span>{formats.duration(to - from)}</span>
      </div>
      <ol className={css.bars} aria-hidden="true">
        {bars.map(({ attempt, wait, work }) => (
          <li key={attempt.number}>
            <span className={css.barName}>{attempt.number}</span>
            <span className={css.track}>
              <span className={css.waitBar} style={{ insetInlineStart: percent(wait[0]), width: percent(wait[1] - wait[0]) }} />
              {work && (
                <span className={css.workBar} data-state-word={asState(attempt.state)} style={{ insetInlineStart: `min(${percent(work[0])}, calc(100% - 5px))`, width: percent(work[1] - work[0]) }} />
              )}
            </span>
          </li>
        ))}
      </ol>
      <p className={css.note}>{t.run.timelineNote}</p>
      <div className={css.tableBox} tabIndex={0} role="region" aria-label={t.run.attempts}>
        <table className={css.attempts}>
          <thead>
            <tr>
              <th scope="col">{t.run.attemptWord}</th>
              <th scope="col">{t.run.state}</th>
              <th scope="col">{t.run.claimed}</th>
              <th scope="col">{t.run.started}</th>
              <th scope="col">{t.run.took}</th>
              <th scope="col">{t.run.executor}</th>
              <th scope="col">{t.run.reason}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <tr key={attempt.number}>
                <td>{attempt.number}</td>
                <td>
                  <StateBadge state={asState(attempt.state)} />
                </td>
                <td>
                  <Instant at={attempt.claimed_at} zone={zone} precision="ms" />
                </td>
                <td>
                  <Instant at={attempt.started_at} zone={zone} precision="ms" />
                </td>
                <td>
                  <Took from={attempt.started_at} to={attempt.ended_at} />
                </td>
                <td><ExecutorLink of={attempt} ns={run.namespace} /></td>
                <td>{endOf(attempt, t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** How an attempt ended, in words. */
export function endOf(attempt: Attempt, t: ReturnType<typeof useT>): string {
  const parts = [attempt.reason && t.said.failure(attempt.reason)];
  if (attempt.exit_code !== null && attempt.exit_code !== undefined && attempt.state !== 'succeeded' && !attempt.reason?.includes(String(attempt.exit_code))) parts.push(t.run.exitCode(String(attempt.exit_code)));
  if (attempt.signal !== null && attempt.signal !== undefined) parts.push(t.run.signal(String(attempt.signal)));
  return parts.filter(Boolean).join(' · ') || t.common.none;
}
