import { CircleCheckBig } from 'lucide-react';
import { type Column, DataTable } from '@/components/DataTable';
import { NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { Progress } from '@/components/Progress';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import panel from '../workflow/Workflow.module.css';
import css from './Flows.module.css';
import { type Bulletin, bulletinsOf, fullness, kindOf, relationshipsOf, stateOf } from './model';
import type { Flow, FlowComponent, FlowConnection } from './queries';
import { useWhen } from './useWhen';

/** The same as the canvas, as lists. */
export function FlowTables({ flow, onChoose, onQueue }: { flow: Flow; onChoose: (name: string) => void; onQueue: (connection: string) => void }) {
  const t = useT();
  const formats = useFormats();
  const when = useWhen();
  const components: Column<FlowComponent>[] = [
    {
      id: 'name',
      header: t.flows.component,
      cell: ({ name }) => (
        <button type="button" className={panel.link} onClick={() => onChoose(name)}>
          {name}
        </button>
      ),
    },
    {
      id: 'state',
      header: t.flows.state,
      width: '9rem',
      cell: (each) => {
        const { state, word } = stateOf(each);
        return <StateBadge state={state} word={t.flows.words[word]} />;
      },
    },
    { id: 'kind', header: t.workflow.kind, width: '7rem', wide: true, cell: ({ name }) => kindOf(flow.spec.components[name]) },
    { id: 'when', header: t.workflow.when, width: '11rem', wide: true, cell: ({ name }) => when(flow.spec.components[name]) },
    { id: 'active', header: t.flows.bodies, width: '6rem', align: 'end', cell: ({ active }) => formats.number(active) },
    { id: 'in', header: t.flows.in, width: '6rem', align: 'end', wide: true, cell: ({ items_in }) => formats.number(items_in) },
    { id: 'out', header: t.flows.out, width: '6rem', align: 'end', wide: true, cell: ({ items_out }) => formats.number(items_out) },
    { id: 'tasks', header: t.flows.tasks, width: '7rem', align: 'end', wide: true, cell: ({ tasks }) => formats.number(tasks) },
    { id: 'why', header: t.common.why, wide: true, cell: ({ why }) => <span className={css.quiet}>{t.said.flow(why)}</span> },
  ];
  const connections: Column<FlowConnection>[] = [
    {
      id: 'name',
      header: t.flows.queue,
      cell: ({ name, from, to }) => (
        <button type="button" className={panel.link} onClick={() => onQueue(name)}>
          {t.flows.queueOf(from, to)}
        </button>
      ),
    },
    { id: 'relationships', header: t.flows.relationships, width: '10rem', wide: true, cell: relationshipsOf },
    { id: 'items', header: t.flows.items, width: '7rem', align: 'end', cell: ({ items }) => formats.number(items) },
    { id: 'bytes', header: t.flows.bytes, width: '7rem', align: 'end', wide: true, cell: ({ bytes }) => formats.bytes(bytes) },
    { id: 'inFlight', header: t.flows.inFlight, width: '8rem', align: 'end', wide: true, cell: ({ in_flight }) => formats.number(in_flight) },
    {
      id: 'full',
      header: t.flows.fill,
      width: '12rem',
      cell: (each) => (
        <span className={each.full ? css.fillFull : css.fill}>
          <Progress label={t.flows.fill} done={each.full ? 0 : Math.round(fullness(each) * 100)} failed={each.full ? 100 : 0} total={100} />
          {each.full ? t.flows.full : formats.percent(fullness(each))}
        </span>
      ),
    },
  ];
  return (
    <>
      <DataTable label={t.flows.components} columns={components} rows={flow.components} rowKey={({ name }) => name} rowName={({ name }) => name} onOpen={({ name }) => onChoose(name)} />
      <DataTable label={t.flows.queues} columns={connections} rows={flow.connections} rowKey={({ name }) => name} rowName={({ name }) => name} onOpen={({ name }) => onQueue(name)} rowTone={({ full }) => (full ? 'bad' : undefined)} />
      <Panel title={t.flows.pools}>
        <ul className={css.pools}>
          {flow.pools.map(({ name, size, active }) => (
            <li key={name}>
              <span>{name}</span>
              <Progress label={name} done={active} failed={0} total={size} />
              <span>{t.flows.poolOf(formats.number(active), formats.number(size))}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

/** The messages of all components. */
export function Bulletins({ flow, onChoose }: { flow: Flow; onChoose: (name: string) => void }) {
  const t = useT();
  const columns: Column<Bulletin>[] = [
    { id: 'at', header: t.flows.at, width: '14rem', cell: ({ at }) => <Instant at={at} precision="second" relative /> },
    { id: 'level', header: t.flows.level, width: '6rem', wide: true, cell: ({ level }) => <span className={level === 'error' ? css.error : css.warn}>{t.flows.levels[level as keyof typeof t.flows.levels] ?? level}</span> },
    { id: 'component', header: t.flows.component, width: '12rem', cell: ({ component }) => component },
    { id: 'message', header: t.flows.message, cell: ({ message }) => t.said.failure(message) },
  ];
  return (
    <DataTable
      label={t.flows.bulletins}
      columns={columns}
      rows={bulletinsOf(flow)}
      rowKey={({ component, at, message }) => `${component} ${at} ${message}`}
      onOpen={({ component }) => onChoose(component)}
      empty={
        <NothingYet what={t.flows.bulletinsWhat} icon={CircleCheckBig}>
          {t.flows.noBulletins}
        </NothingYet>
      }
    />
  );
}
