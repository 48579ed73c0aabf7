import { useQuery } from '@tanstack/react-query';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { useT } from '@/i18n';
import { firesQuery, type Trigger } from './queries';
import { PausedTrigger, TriggerPause } from './TriggerPause';
import css from './Job.module.css';

/** A trigger in words, with the fires that come next. */
export function SchedulePanel({ trigger, count, details = false }: { trigger: Trigger; count: number; details?: boolean }) {
  const t = useT();
  return (
    <section className={css.trigger} aria-label={trigger.name}>
      <header>
        <div className={css.triggerHead}>
          <strong>{trigger.explanation}</strong>
          {details && <TriggerPause trigger={trigger} />}
        </div>
        <span className={css.triggerFacts}>
          <span>{trigger.name}</span>
          <span>{trigger.timezone}</span>
          {trigger.calendar && <span>{`${t.jobDetail.calendar}: ${trigger.calendar}`}</span>}
          {trigger.state === 'error' && <span className={css.bad}>{trigger.state_reason}</span>}
          {details && (
            <>
              <span>{`${t.jobDetail.misfire}: ${trigger.misfire}`}</span>
              <span>{`${t.jobDetail.fires}: ${trigger.times_triggered}`}</span>
              <span>
                {`${t.jobDetail.previous}: `}
                <Instant at={trigger.previous_fire_at} zone={trigger.timezone} />
              </span>
            </>
          )}
        </span>
      </header>
      <PausedTrigger trigger={trigger} />
      {trigger.kind === 'delay' ? (
        <p className={css.quiet}>
          {t.jobDetail.next}: <Instant at={trigger.next_fire_at} zone={trigger.timezone} relative />
        </p>
      ) : (
        <Fires trigger={trigger} count={count} />
      )}
    </section>
  );
}

function Fires({ trigger, count }: { trigger: Trigger; count: number }) {
  const t = useT();
  const query = useQuery(firesQuery(trigger, count));
  return (
    <Loaded query={query} what={t.jobDetail.nextFires} skeleton={<Skeleton lines={4} />}>
      {(preview) =>
        preview.fires.length === 0 ? (
          <p className={css.quiet}>{t.jobDetail.noNext}</p>
        ) : (
          <ol className={css.fires}>
            {preview.fires.map((fire) => (
              <li key={fire.at} data-excluded={fire.excluded_by ? true : undefined}>
                <Instant at={fire.at} zone={trigger.timezone} date relative={!fire.excluded_by} focusable />
                {fire.excluded_by && <span className={css.mark}>{t.jobDetail.excluded(fire.excluded_by)}</span>}
                {fire.note === 'gap' && <span className={css.mark}>{t.jobDetail.gap}</span>}
                {fire.note === 'fold' && <span className={css.mark}>{t.jobDetail.fold}</span>}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
