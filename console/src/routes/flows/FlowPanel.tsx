import { useQuery } from '@tanstack/react-query';
import { List, X } from 'lucide-react';
import { ActionBar } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { Instant } from '@/components/Instant';
import { Facts } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import panel from '../workflow/Workflow.module.css';
import css from './Flows.module.css';
import { Spark, useMinutes, useMinutesAndNow } from './History';
import { kindOf, relationshipsOf, stateOf } from './model';
import { type Flow, type FlowComponent, type FlowConnection, linesQuery } from './queries';
import { useFlowActions } from './useFlowActions';
import { useWhen } from './useWhen';

export interface FlowPanelProps {
  flow: Flow;
  onChoose: (name: string | undefined) => void;
  onQueue: (connection: string) => void;
}

/** What is known of the component or queue that is chosen. */
export function FlowPanel({ name, ...rest }: FlowPanelProps & { name: string }) {
  const t = useT();
  const component = rest.flow.components.find((each) => each.name === name);
  const connection = rest.flow.connections.find((each) => each.name === name);
  return (
    <aside className={panel.panel} aria-label={name}>
      <header>
        <h2>{connection ? t.flows.queueOf(connection.from, connection.to) : name}</h2>
        <IconButton label={t.common.close} icon={X} tip={false} onClick={() => rest.onChoose(undefined)} />
      </header>
      {component ? <Component component={component} {...rest} /> : connection ? <Connection connection={connection} {...rest} /> : <p className={css.quiet}>{t.flows.gone}</p>}
    </aside>
  );
}

function Component({ component, flow, onChoose }: FlowPanelProps & { component: FlowComponent }) {
  const t = useT();
  const formats = useFormats();
  const when = useWhen();
  const { ofComponent } = useFlowActions(flow);
  const { state, word } = stateOf(component);
  const { name } = component;
  const samples = useMinutes(flow, name);
  const spec = flow.spec.components[name];
  const queues = (those: readonly FlowConnection[]) => (
    <span className={panel.names}>
      {those.map((queue) => (
        <button key={queue.name} type="button" onClick={() => onChoose(queue.name)}>
          {queue.from === name ? queue.to : queue.from} · {relationshipsOf(queue)}
        </button>
      ))}
    </span>
  );
  const before = flow.connections.filter(({ to }) => to === name);
  const after = flow.connections.filter(({ from }) => from === name);
  const work = spec?.run ?? spec?.exec?.join(' ') ?? spec?.script?.source ?? (spec?.log ? spec.log.message : undefined);
  const ends = [spec?.end ?? []].flat();
  return (
    <>
      <p className={panel.status}>
        <StateBadge state={state} word={t.flows.words[word]} strong />
        {component.active > 0 && <span>{t.flows.active(formats.number(component.active))}</span>}
        {component.terminated > 0 && <span className={css.quiet}>{t.flows.givenUp(formats.number(component.terminated))}</span>}
      </p>
      <p className={panel.reasons}>{t.said.flow(component.why)}</p>
      <ActionBar actions={ofComponent(component)} />
      {component.bulletins.length > 0 && (
        <ul className={css.bulletins} aria-label={t.flows.bulletins}>
          {component.bulletins.slice(0, 5).map(({ at, level, message }) => (
            <li key={`${at} ${message}`} data-level={level}>
              <Instant at={at} precision="second" offset={false} /> {t.said.failure(message)}
            </li>
          ))}
        </ul>
      )}
      <div className={css.sparks} aria-label={t.flows.history} role="group">
        <Spark label={t.flows.inMinute} samples={samples} of={`c ${name}`} index={0} format={formats.number} />
        <Spark label={t.flows.outMinute} samples={samples} of={`c ${name}`} index={1} format={formats.number} />
        <Spark label={t.flows.bodiesMinute} samples={samples} of={`c ${name}`} index={2} format={formats.number} />
        <p className={css.quiet}>{t.flows.historyText}</p>
      </div>
      {spec?.description && <p>{spec.description}</p>}
      <Facts
        rows={[
          [t.workflow.kind, kindOf(spec)],
          [t.workflow.when, when(spec)],
          component.next_fire ? [t.flows.next, <Instant key="next" at={component.next_fire} relative />] : undefined,
          [t.flows.tasks, t.flows.tasksOf(formats.number(component.tasks), formats.duration(component.task_ms))],
          component.missed > 0 ? [t.flows.missed, formats.number(component.missed)] : undefined,
          component.last_skip_at ? [t.flows.lastSkip, <span key="skip"><Instant at={component.last_skip_at} relative /> {t.flows.blocked[component.last_skip_reason as keyof typeof t.flows.blocked] ?? component.last_skip_reason}</span>] : undefined,
          [t.flows.takesFrom, before.length > 0 ? queues(before) : t.common.none],
          [t.flows.putsInto, after.length > 0 ? queues(after) : t.common.none],
          ends.length > 0 ? [t.flows.ends, ends.join(', ')] : undefined,
          spec?.concurrency ? [t.flows.concurrency, formats.number(spec.concurrency)] : undefined,
          spec?.pool ? [t.flows.pool, spec.pool] : undefined,
          spec?.timeout ? [t.editor.timeout, spec.timeout] : undefined,
        ]}
      />
      {work && (
        <pre className={panel.work} tabIndex={0}>
          {work}
        </pre>
      )}
      <Lines flow={flow} component={name} />
    </>
  );
}

/** The last lines of a component's log. */
function Lines({ flow, component }: { flow: Flow; component: string }) {
  const t = useT();
  const { data = [] } = useQuery(linesQuery(flow.namespace, flow.name, component));
  if (data.length === 0) return null;
  return (
    <div>
      <h3 className={css.small}>{t.flows.log}</h3>
      <ol className={css.lines} tabIndex={0} aria-label={t.flows.log}>
        {data.toReversed().map(({ at, text }, index) => (
          <li key={`${at} ${index}`}>
            <Instant at={at} precision="second" offset={false} /> {text}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Connection({ connection, flow, onQueue, onChoose }: FlowPanelProps & { connection: FlowConnection }) {
  const t = useT();
  const formats = useFormats();
  const { name, from, to } = connection;
  const samples = useMinutesAndNow(flow, name);
  const spec = flow.spec.connections?.find((each) => each.from === from && each.to === to);
  const end = (component: string) => (
    <button type="button" className={panel.link} onClick={() => onChoose(component)}>
      {component}
    </button>
  );
  return (
    <>
      <p className={panel.status}>
        <strong>{t.flows.holds(formats.number(connection.items), formats.bytes(connection.bytes))}</strong>
        {connection.full && <span className={css.fullWord}>{t.flows.full}</span>}
      </p>
      {connection.full && <p className={panel.reasons}>{t.flows.fullText(from)}</p>}
      <Button icon={List} tone="primary" onClick={() => onQueue(name)}>
        {t.flows.openQueue}
      </Button>
      <div className={css.sparks} aria-label={t.flows.history} role="group">
        <Spark label={t.flows.items} samples={samples} of={`q ${name}`} index={0} format={formats.number} />
        <Spark label={t.flows.bytes} samples={samples} of={`q ${name}`} index={1} format={formats.bytes} />
        <p className={css.quiet}>{t.flows.historyText}</p>
      </div>
      <Facts
        rows={[
          [t.flows.relationships, relationshipsOf(connection)],
          [t.flows.takesFrom, end(from)],
          [t.flows.putsInto, end(to)],
          [t.flows.inFlight, formats.number(connection.in_flight)],
          connection.penalised > 0 ? [t.flows.penalised, formats.number(connection.penalised)] : undefined,
          [t.flows.fullAt, [connection.max_items > 0 && t.flows.itemsOf(formats.number(connection.max_items)), connection.max_bytes > 0 && formats.bytes(connection.max_bytes)].filter(Boolean).join(' · ') || t.flows.never],
          spec?.expire_after ? [t.flows.expires, spec.expire_after] : undefined,
          (spec?.prioritizers?.length ?? 0) > 0 ? [t.flows.order, spec?.prioritizers?.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ')] : undefined,
        ]}
      />
    </>
  );
}
