import { useQuery } from '@tanstack/react-query';
import { Ellipsis, History, Pencil, Send, Trash2 } from 'lucide-react';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { StateGlyph } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import css from './Alerts.module.css';
import { glyphOf } from './Deliveries';
import { type Channel, channelsQuery } from './queries';
import { useAlertActions } from './useAlertActions';

/** Where alerts are sent, and how the last message fared. */
export function Channels({ onEdit, onShow }: { onEdit: (channel: Channel) => void; onShow: (name: string) => void }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(channelsQuery);
  const act = useAlertActions();
  const last = ({ last_delivery: one }: Channel) =>
    one ? (
      <span className={css.state} title={one.error ? t.said.delivery(one.error) : undefined}>
        <StateGlyph state={glyphOf(one.state)} /> {t.alerts.states[one.state] ?? one.state} <span className={css.quiet}><Instant at={one.ended_at ?? one.created_at} /></span>
      </span>
    ) : (
      <span className={css.quiet}>{t.alerts.nothingSent}</span>
    );
  const test = ({ name }: Channel) => (
    <Button size="s" icon={Send} busy={act.test.isPending && act.test.variables === name} aria-label={t.alerts.testOf(name)} onClick={() => act.test.mutate(name)}>
      {t.alerts.test}
    </Button>
  );
  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t.alerts.name,
      cell: (channel) => (
        <div className={css.what}>
          <strong>{channel.name}</strong>
          <div className={css.below}>
            {last(channel)}
            {test(channel)}
          </div>
        </div>
      ),
    },
    { id: 'kind', header: t.alerts.kind, width: '8rem', cell: ({ kind }) => t.alerts.kinds[kind as keyof typeof t.alerts.kinds] ?? kind },
    { id: 'to', header: t.alerts.receivers, wide: true, cell: ({ spec }) => (spec.email ? (spec.email.to?.length ? formats.list(spec.email.to) : <span className={css.quiet}>{t.alerts.byRule}</span>) : <span className={css.quiet}>{t.alerts.secretAddress}</span>) },
    { id: 'last', header: t.alerts.lastMessage, width: '18rem', wide: true, cell: last },
    { id: 'test', header: '', width: '10rem', wide: true, cell: test },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (channel) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={Pencil} onSelect={() => onEdit(channel)}>
            {t.alerts.change}
          </MenuItem>
          <MenuItem icon={History} onSelect={() => onShow(channel.name)}>
            {t.alerts.tabs.deliveries}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => void confirm({ title: t.alerts.removeTitle(channel.name), text: t.alerts.removeChannelText, action: t.alerts.remove, tone: 'danger', command: { cli: ['alert', 'channel', 'delete', channel.name], http: { method: 'DELETE', path: fillPath('/api/v1/alert-channels/{channel}', { channel: channel.name }) } } }).then((yes) => yes && act.removeChannel(channel))}>
            {t.alerts.remove}
          </MenuItem>
          <MenuLine />
          <CopyItems command={{ cli: ['alert', 'channel', 'test', channel.name], http: { method: 'POST', path: fillPath('/api/v1/alert-channels/{channel}/test', { channel: channel.name }) } }} />
        </Menu>
      ),
    },
  ];
  return (
    <Loaded query={query} what={t.alerts.tabs.channels}>
      {(channels) => <DataTable label={t.alerts.tabs.channels} columns={columns} rows={channels} rowKey={({ name }) => name} rowName={({ name }) => name} onOpen={onEdit} empty={<NothingYet what={t.alerts.channelsWhat}>{t.alerts.channelsEmpty}</NothingYet>} />}
    </Loaded>
  );
}
