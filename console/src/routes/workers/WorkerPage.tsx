import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionBar } from '@/components/ActionBar';
import { CopyButton } from '@/components/Copy';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { NodeLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { useNow } from '@/lib/clock';
import { LastRuns } from '../runs/LastRuns';
import { RunningNow } from '../runs/RunningNow';
import { ClockOffset } from './ClockOffset';
import { type Worker, runsOf, workerRunsQuery, workersQuery } from './queries';
import { workerRoute } from './routes';
import { Slots } from './Slots';
import { named, standingOf } from './standing';
import { StandingBadge } from './StandingBadge';
import { useWorkerActions } from './useWorkerActions';
import css from './Workers.module.css';

/** One worker: what it is, whether it is heard, what it executes now and what it executed. */
export function WorkerPage() {
  const t = useT();
  const { ns, worker: name } = workerRoute.useParams();
  const query = useQuery(workersQuery);
  return (
    <Loaded query={query} what={t.workers.a}>
      {(workers) => <WorkerView key={name} ns={ns} name={name} processes={named(workers, name)} />}
    </Loaded>
  );
}

function WorkerView({ ns, name, processes }: { ns: string; name: string; processes: readonly Worker[] }) {
  const t = useT();
  const formats = useFormats();
  const now = useNow();
  const [worker, ...others] = processes;
  const standing = standingOf(worker, now);
  const actions = useWorkerActions(worker);
  return (
    <Page
      title={name}
      trail={
        <Link to="/ns/$ns/workers" params={{ ns }}>
          {t.shell.workers}
        </Link>
      }
      facts={
        <>
          <StandingBadge standing={standing} />
          {worker && <span>{t.workers.slotsUsed(formats.number(worker.running), formats.number(worker.slots))}</span>}
          {worker && (
            <span>
              {t.workers.heard} <Instant at={worker.heard_at} relative />
            </span>
          )}
        </>
      }
      actions={actions.length > 0 && <ActionBar actions={actions} />}
    >
      {standing !== 'ready' && (
        <p className={css.note} data-standing={standing} role="status">
          {t.workers.standingText[standing]}
        </p>
      )}
      <div className={css.detail} data-alone={!worker || undefined}>
        <div className={css.column}>
          {worker && <Running name={name} />}
          <LastRuns q={runsOf(name)} empty={t.workers.noRuns} />
        </div>
        {worker && (
          <div className={css.column}>
            <Panel title={t.workers.facts}>
              <WorkerFacts worker={worker} ns={ns} />
            </Panel>
            {others.map((other) => (
              <Panel key={other.id} title={t.workers.sameName}>
                <WorkerFacts worker={other} ns={ns} />
              </Panel>
            ))}
          </div>
        )}
      </div>
    </Page>
  );
}

function Running({ name }: { name: string }) {
  return <RunningNow query={useQuery(workerRunsQuery(name))} />;
}

function WorkerFacts({ worker, ns }: { worker: Worker; ns: string }) {
  const t = useT();
  const labels = Object.entries(worker.labels ?? {});
  return (
    <Facts
      rows={[
        [t.workers.slots, <Slots key="slots" worker={worker} />],
        [
          t.workers.queues,
          <span key="queues" className={css.words}>
            {worker.queues.map((queue) => (
              <Link key={queue} to="/ns/$ns/queues/$queue" params={{ ns, queue }}>
                {queue}
              </Link>
            ))}
          </span>,
        ],
        [
          t.workers.labels,
          labels.length === 0 ? (
            t.common.none
          ) : (
            <span key="labels" className={css.words}>
              {labels.map(([key, value]) => (
                <span key={key} className={css.label}>
                  {key}={value}
                </span>
              ))}
            </span>
          ),
        ],
        [t.workers.heard, <Instant key="heard" at={worker.heard_at} relative focusable />],
        [t.workers.clock, <ClockOffset key="clock" worker={worker} />],
        [t.workers.joined, <Instant key="joined" at={worker.joined_at} relative focusable />],
        [t.workers.node, worker.node ? <NodeLink key="node" name={worker.node} /> : t.workers.noNode],
        [t.workers.version, worker.version ?? t.common.none],
        [
          t.workers.process,
          <span key="id" className={css.id}>
            <code>{worker.id}</code>
            <CopyButton text={worker.id} label={t.run.copyId} />
          </span>,
        ],
      ]}
    />
  );
}
