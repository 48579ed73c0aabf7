import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { StateGlyph } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { type Delivery, deliveriesQuery } from './queries';
import css from './Webhooks.module.css';

const glyph = { pending: 'running', delivered: 'succeeded', dead: 'failed', unknown: 'waiting' } as const;

/** What was sent, newest first, and how it was answered. */
export function Deliveries({ webhook }: { webhook: string }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(deliveriesQuery(webhook));
  const columns: Column<Delivery>[] = [
    {
      id: 'state',
      header: t.webhooks.state,
      width: '8rem',
      cell: (one) => (
        <span className={css.state}>
          <StateGlyph state={glyph[one.state] ?? 'waiting'} /> {t.webhooks.states[one.state] ?? one.state}
        </span>
      ),
    },
    { id: 'type', header: t.webhooks.type, cell: (one) => <code>{one.type}</code> },
    { id: 'created', header: t.webhooks.created, width: '12rem', cell: (one) => <Instant at={one.created_at} precision="ms" /> },
    { id: 'attempts', header: t.webhooks.attempts, width: '5rem', align: 'end', cell: (one) => formats.number(one.attempts) },
    { id: 'answer', header: t.webhooks.answer, cell: (one) => <Answer of={one} /> },
    { id: 'next', header: t.webhooks.next, width: '12rem', wide: true, cell: (one) => (one.state === 'pending' ? <Instant at={one.next_at} relative /> : t.common.none) },
  ];
  return (
    <Panel title={t.webhooks.deliveriesOf(webhook)} flush>
      <Loaded query={query} what={t.webhooks.deliveries}>
        {(page) => <DataTable label={t.webhooks.deliveries} columns={columns} rows={page.items as Delivery[]} rowKey={(one) => one.id} rowTone={(one) => (one.state === 'dead' ? 'bad' : undefined)} empty={<p className={css.none}>{t.webhooks.noDeliveries}</p>} />}
      </Loaded>
    </Panel>
  );
}

/** A status, or why there was none: all of it on hover, as it may be long. */
function Answer({ of }: { of: Delivery }) {
  const t = useT();
  if (!of.error) return <>{typeof of.status === 'number' ? `HTTP ${of.status}` : t.common.none}</>;
  const told = t.said.failure(of.error);
  return <span title={told}>{told}</span>;
}
