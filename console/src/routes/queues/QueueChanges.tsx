import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { Who } from '@/components/Who';
import { useFormats, useT } from '@/i18n';
import { differences } from './limits';
import { type QueueChange, changesQuery } from './queries';
import css from './Queues.module.css';

/** What people have changed about a queue: who, when and why. */
export function QueueChanges({ queue, ns }: { queue: string; ns: string }) {
  const t = useT();
  const query = useQuery(changesQuery(queue));
  return (
    <Panel title={t.queues.changes}>
      <Loaded query={query} what={t.queues.changes}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={css.quiet}>{t.queues.noChanges}</p>
          ) : (
            <ul className={css.changes}>
              {items.map((change) => (
                <li key={change.id}>
                  <span>
                    <What change={change} ns={ns} />
                    {change.reason && <q>{change.reason}</q>}
                  </span>
                  <span className={css.quiet}>
                    <Instant at={change.at} relative /> <Who by={change.by} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function What({ change: { action, run, job, runs, to, priority, settings }, ns }: { change: QueueChange; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const name = job?.split('/').slice(1).join('/') ?? '';
  const of = run && (
    <Link to="/ns/$ns/runs/$run" params={{ ns: job?.split('/')[0] ?? ns, run }}>
      {name || run}
    </Link>
  );
  if (action === 'set' && settings) {
    return <>{differences(settings.before, settings.after).map(({ key, before, after }) => `${t.queues.limitWords[key]}: ${before ?? t.queues.noLimit} → ${after ?? t.queues.noLimit}`).join(' · ')}</>;
  }
  const end = to === 'first' || to === 'last' ? t.queues.ends[to] : undefined;
  const words = action === 'move' ? t.queues.did.move(run ? '' : formats.number(runs ?? 0), to ?? '') : action === 'place' ? (end ?? t.queues.did.place(formats.number(priority?.after ?? 0))) : t.queues.did[action];
  return (
    <>
      {of} {words}
    </>
  );
}
