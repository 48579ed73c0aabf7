import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { CopyMore } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Select } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { StateGlyph } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import type { State } from '@/states';
import css from './Alerts.module.css';
import { type Channel, type Delivery, deliveriesQuery } from './queries';
import { useAlertActions } from './useAlertActions';

const PAGE = 100;
/** The most that the server returns at once. */
const SHOWN_MAX = 1000;

export function glyphOf(state: string): State {
  return ({ pending: 'running', delivered: 'succeeded', dead: 'failed' } as const)[state] ?? 'waiting';
}

/** What was sent, newest first, and how it fared. */
export function Deliveries({ channel, channels, onChannel }: { channel: string | undefined; channels: readonly Channel[]; onChannel: (name: string | undefined) => void }) {
  const t = useT();
  const formats = useFormats();
  const [limit, setLimit] = useState(PAGE);
  const query = useQuery(deliveriesQuery(channel, limit));
  const act = useAlertActions();
  const names = [...new Set([...channels.map(({ name }) => name), ...(channel ? [channel] : [])])];
  const again = (one: Delivery) =>
    one.state === 'pending' ? null : (
      <span className={css.act}>
        <Button size="s" icon={Send} aria-label={t.alerts.redeliverOf(t.said.subject(one.subject))} busy={act.redeliver.isPending && act.redeliver.variables === one.id} onClick={() => act.redeliver.mutate(one.id)}>
          {t.alerts.redeliver}
        </Button>
        <CopyMore of={t.said.subject(one.subject)} command={{ cli: ['alert', 'redeliver', one.id], http: { method: 'POST', path: fillPath('/api/v1/alert-deliveries/{delivery}/redeliver', { delivery: one.id }) } }} />
      </span>
    );
  const columns: Column<Delivery>[] = [
    {
      id: 'subject',
      header: t.alerts.message,
      cell: (one) => (
        <div className={css.what}>
          {one.run && one.namespace ? (
            <Link to="/ns/$ns/runs/$run" params={{ ns: one.namespace, run: one.run }}>
              {t.said.subject(one.subject)}
            </Link>
          ) : (
            <span>{t.said.subject(one.subject)}</span>
          )}
          {one.error && one.state !== 'delivered' && <span className={css.error}>{t.said.delivery(one.error)}</span>}
          <div className={css.below}>{again(one)}</div>
        </div>
      ),
    },
    { id: 'channel', header: t.alerts.channel, width: '7rem', wide: true, cell: (one) => one.channel },
    {
      id: 'state',
      header: t.alerts.state,
      width: '7rem',
      cell: (one) => (
        <span className={css.state}>
          <StateGlyph state={glyphOf(one.state)} /> {t.alerts.states[one.state] ?? one.state}
        </span>
      ),
    },
    { id: 'attempts', header: t.alerts.attempts, width: '5rem', align: 'end', wide: true, cell: (one) => formats.number(one.attempts) },
    { id: 'created', header: t.alerts.made, width: '10rem', wide: true, cell: (one) => <Instant at={one.created_at} /> },
    { id: 'next', header: t.alerts.next, width: '12rem', wide: true, cell: (one) => (one.state === 'pending' ? <Instant at={one.next_at} relative /> : t.common.none) },
    { id: 'again', header: '', width: '10rem', wide: true, cell: again },
  ];
  return (
    <div className={css.stack}>
      <Select className={css.choose} aria-label={t.alerts.channel} value={channel ?? ''} onChange={(event) => onChannel(event.target.value || undefined)}>
        <option value="">{t.alerts.allChannels}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
      <Loaded query={query} what={t.alerts.tabs.deliveries}>
        {(page) => (
          <DataTable
            label={t.alerts.tabs.deliveries}
            columns={columns}
            rows={page.items as Delivery[]}
            rowKey={(one) => one.id}
            rowName={(one) => one.subject}
            rowTone={(one) => (one.state === 'dead' ? 'bad' : undefined)}
            waiting={query.isPlaceholderData}
            more={{ has: Boolean(page.next_cursor) && limit < SHOWN_MAX, busy: query.isPlaceholderData, load: () => setLimit(limit + PAGE) }}
            empty={<p className={css.none}>{t.alerts.nothingSent}</p>}
          />
        )}
      </Loaded>
    </div>
  );
}
