import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { CalendarDialog } from './CalendarDialog';
import css from './Calendars.module.css';
import { daysOf, kindOf } from './form';
import { type Calendar, calendarsQuery } from './queries';
import { calendarsRoute } from './routes';
import { YearView } from './YearView';

export function CalendarsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = calendarsRoute.useParams();
  const { name } = calendarsRoute.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = useQuery(calendarsQuery(ns));
  const [editing, setEditing] = useState<Calendar | 'new'>();
  const remove = useMutation({
    mutationFn: (calendar: Calendar) => ask(api.DELETE('/api/v1/namespaces/{namespace}/calendars/{calendar}', { params: { path: { namespace: calendar.namespace, calendar: calendar.name }, header: { 'If-Match': `"${calendar.version}"` } } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['calendars', ns] });
      toast({ tone: 'good', text: t.calendars.removed });
    },
    onError: (error) => toastError(t.calendars.remove, error),
  });
  const columns: Column<Calendar>[] = [
    { id: 'name', header: t.calendars.name, cell: (calendar) => <strong>{calendar.name}</strong> },
    {
      id: 'kind',
      header: t.calendars.kind,
      cell: (calendar) => (
        <span className={css.kind}>
          {t.calendars.kinds[kindOf(calendar.spec)]} <span className={css.days}>{daysOf(calendar.spec).replaceAll('\n', ', ')}</span>
        </span>
      ),
    },
    { id: 'zone', header: t.calendars.zone, width: '11rem', wide: true, cell: (calendar) => calendar.spec.timezone ?? t.calendars.zoneOfTrigger },
    { id: 'base', header: t.calendars.base, width: '9rem', wide: true, cell: (calendar) => calendar.spec.base ?? t.common.none },
    { id: 'triggers', header: t.calendars.triggers, width: '6rem', align: 'end', cell: (calendar) => formats.number(calendar.trigger_count) },
    { id: 'saved', header: t.calendars.saved, width: '12rem', wide: true, cell: (calendar) => <Instant at={calendar.updated_at} relative /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (calendar) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={Pencil} onSelect={() => setEditing(calendar)}>
            {t.calendars.edit}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => void confirm({ title: t.calendars.removeTitle(calendar.name), text: t.calendars.removeText, action: t.calendars.remove, tone: 'danger', typed: calendar.name, command: { http: { method: 'DELETE', path: fillPath('/api/v1/namespaces/{namespace}/calendars/{calendar}', { namespace: ns, calendar: calendar.name }) } } }).then((yes) => yes && remove.mutate(calendar))}>
            {t.calendars.remove}
          </MenuItem>
          <MenuLine />
          <CopyItems command={{ cli: ['export', '-n', ns], http: { method: 'GET', path: fillPath('/api/v1/namespaces/{ns}/calendars/{calendar}', { ns, calendar: calendar.name }) } }} />
        </Menu>
      ),
    },
  ];
  return (
    <Page
      title={t.shell.calendars}
      actions={
        <Button tone="primary" icon={Plus} onClick={() => setEditing('new')}>
          {t.calendars.add}
        </Button>
      }
    >
      <Loaded query={query} what={t.calendars.what}>
        {(page) => {
          const calendars = page.items as Calendar[];
          const shown = calendars.find((calendar) => calendar.name === name) ?? calendars[0];
          return (
            <>
              <DataTable
                label={t.shell.calendars}
                columns={columns}
                rows={calendars}
                rowKey={(calendar) => calendar.id}
                rowName={(calendar) => calendar.name}
                onOpen={(calendar) => void navigate({ to: '.', search: { name: calendar.name }, replace: true })}
                empty={<NothingYet what={t.calendars.what}><Prose text={t.calendars.emptyText} /></NothingYet>}
              />
              {shown && <YearView key={shown.id} calendar={shown} />}
            </>
          );
        }}
      </Loaded>
      {editing && <CalendarDialog ns={editing !== 'new' ? editing.namespace : ns === '-' ? 'default' : ns} calendar={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </Page>
  );
}
