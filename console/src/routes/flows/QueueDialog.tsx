import { useQuery } from '@tanstack/react-query';
import { Download, Eraser, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { ActionBar } from '@/components/ActionBar';
import { type Column, DataTable } from '@/components/DataTable';
import { Dialog } from '@/components/Dialog';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Field, Select } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { JsonView } from '@/components/JsonView';
import { Facts } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { apiPath } from '@/lib/config';
import css from './Flows.module.css';
import { FLOW, type Flow, type FlowConnection, type FlowItem, LISTED, itemQuery, itemsQuery } from './queries';
import { useQueueActions } from './useQueueActions';

export interface QueueDialogProps {
  flow: Flow;
  connection: FlowConnection;
  item: number | undefined;
  onItem: (item: number | undefined) => void;
  onClose: () => void;
}

/** What waits in a queue, in the order in which it leaves; each item with all that it holds. */
export function QueueDialog({ flow, connection, item, onItem, onClose }: QueueDialogProps) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(itemsQuery(flow.namespace, flow.name, connection.name));
  const actions = useQueueActions(flow);
  const [to, setTo] = useState('');
  const back = flow.connections.filter(({ to: component, name }) => component === connection.from || name === connection.name);
  const columns: Column<FlowItem>[] = [
    { id: 'id', header: t.flows.item, width: '6rem', cell: ({ id }) => <code>{id}</code> },
    { id: 'bytes', header: t.flows.bytes, width: '6rem', align: 'end', cell: ({ bytes }) => formats.bytes(bytes) },
    { id: 'entered', header: t.flows.entered, cell: ({ entered_at }) => <Instant at={entered_at} relative /> },
    { id: 'penalty', header: t.flows.penaltyUntil, width: '12rem', wide: true, cell: ({ penalty_until }) => <Instant at={penalty_until} relative /> },
    { id: 'retries', header: t.flows.retries, width: '6rem', align: 'end', wide: true, cell: ({ retries }) => formats.number(retries) },
  ];
  return (
    <Dialog open onClose={onClose} width="l" title={t.flows.queueOf(connection.from, connection.to)} description={connection.items === 0 ? t.flows.queueEmpty : t.flows.queueText(t.flows.holds(formats.number(connection.items), formats.bytes(connection.bytes)), formats.number(LISTED))}>
      <div className={css.queueBar}>
        <Field label={t.flows.replayTo}>
          {(field) => (
            <Select {...field} value={to} onChange={(event) => setTo(event.target.value)}>
              <option value="">{t.flows.replayBack}</option>
              {back.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <ActionBar
          actions={[
            { id: 'replay', label: t.flows.replayAll, icon: Undo2, run: () => actions.replay(connection.name, undefined, to || undefined), disabledReason: connection.items === 0 ? t.flows.isEmpty : undefined, command: { cli: ['flow', 'queue', 'replay', flow.name, connection.name], http: { method: 'POST', path: fillPath(`${FLOW}/queues/{connection}/replay`, { namespace: flow.namespace, flow: flow.name, connection: connection.name }), body: to ? { to } : {} } } },
            { id: 'drop', label: t.flows.dropAll, icon: Eraser, tone: 'danger', run: () => actions.dropAll(connection), disabledReason: connection.items === 0 ? t.flows.isEmpty : undefined, command: { cli: ['flow', 'queue', 'drop', flow.name, connection.name], http: { method: 'DELETE', path: fillPath(`${FLOW}/queues/{connection}`, { namespace: flow.namespace, flow: flow.name, connection: connection.name }) } } },
          ]}
        />
      </div>
      <Loaded query={query} what={t.flows.items}>
        {(items) => (
          <DataTable
            label={t.flows.items}
            columns={columns}
            rows={items}
            rowKey={({ id }) => String(id)}
            onOpen={({ id }) => onItem(id === item ? undefined : id)}
            empty={<NothingYet what={t.flows.itemsWhat}>{connection.in_flight > 0 ? t.flows.allInFlight(formats.number(connection.in_flight)) : t.flows.queueEmpty}</NothingYet>}
          />
        )}
      </Loaded>
      {item !== undefined && <Item flow={flow} connection={connection} item={item} to={to || undefined} onGone={() => onItem(undefined)} />}
    </Dialog>
  );
}

function Item({ flow, connection, item, to, onGone }: { flow: Flow; connection: FlowConnection; item: number; to: string | undefined; onGone: () => void }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(itemQuery(flow.namespace, flow.name, item));
  const actions = useQueueActions(flow);
  const at = { namespace: flow.namespace, flow: flow.name, item: String(item) };
  return (
    <section className={css.item} aria-label={t.flows.itemOf(String(item))}>
      <header>
        <h3>{t.flows.itemOf(String(item))}</h3>
        <ActionBar
          actions={[
            { id: 'replay', label: t.flows.replay, icon: Undo2, run: () => { actions.replay(connection.name, item, to); onGone(); }, command: { cli: ['flow', 'queue', 'replay', flow.name, connection.name, '--item', String(item)], http: { method: 'POST', path: fillPath(`${FLOW}/queues/{connection}/replay`, { ...at, connection: connection.name }), body: { items: [item], ...(to ? { to } : {}) } } } },
            { id: 'drop', label: t.flows.drop, icon: Trash2, tone: 'danger', run: () => actions.drop(connection.name, item, onGone), command: { cli: ['flow', 'queue', 'drop', flow.name, connection.name, '--item', String(item)], http: { method: 'DELETE', path: `${fillPath(`${FLOW}/queues/{connection}`, { ...at, connection: connection.name })}?item=${item}` } } },
            { id: 'download', label: t.flows.payload, icon: Download, command: 'local', hidden: true, run: () => window.open(apiPath(fillPath(`${FLOW}/items/{item}/payload`, at))) },
          ]}
        />
      </header>
      <Loaded query={query} what={t.flows.itemOf(String(item))}>
        {({ attributes, payload, payload_bytes, truncated }) => (
          <>
            <h4>{t.flows.attributes}</h4>
            {Object.keys(attributes).length > 0 ? <Facts rows={Object.entries(attributes).map(([name, value]) => [<code key={name}>{name}</code>, value] as const)} /> : <p className={css.quiet}>{t.flows.noAttributes}</p>}
            <h4>
              {t.flows.payload} <span className={css.quiet}>{formats.bytes(payload_bytes)}{truncated && `, ${t.flows.truncated}`}</span>
            </h4>
            <div className={css.payload} tabIndex={0} role="region" aria-label={t.flows.payload}>
              {payload === '' ? <span className={css.quiet}>{t.flows.noPayload}</span> : <JsonView text={payload} />}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}
