import { ArrowDownToLine, ArrowUpToLine, Ellipsis, X } from 'lucide-react';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { useFormats, useT } from '@/i18n';
import type { Run } from '../runs/queries';
import { dropCommand, placeCommand } from './order';
import { RunName } from './RunName';
import { useOrder } from './useOrder';
import css from './Queues.module.css';

/** The runs that leave first, in their order, and what can be done to each. */
export function QueueHead({ queue, runs, ns }: { queue: string; runs: readonly Run[]; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const order = useOrder(queue);
  const columns: Column<Run>[] = [
    { id: 'job', header: t.runs.job, cell: (run) => <RunName run={run} ns={ns} /> },
    { id: 'due', header: t.queues.due, width: '12rem', cell: (run) => <Instant at={run.due_at} relative /> },
    { id: 'priority', header: t.queues.priority, width: '6rem', align: 'end', cell: (run) => formats.number(run.priority) },
    { id: 'attempt', header: t.runs.attempt, width: '6rem', align: 'end', wide: true, cell: (run) => formats.number(run.attempt + 1) },
    {
      id: 'actions',
      header: '',
      width: '7rem',
      cell: (run) => (
        <span className={css.acts}>
          <IconButton label={`${t.queues.top}: ${run.job}`} icon={ArrowUpToLine} onClick={() => order.place(run, 'first')} />
          <IconButton label={`${t.queues.drop}: ${run.job}`} icon={X} onClick={() => void order.drop(run)} />
          <Menu trigger={<IconButton label={`${t.common.moreActions}: ${run.job}`} icon={Ellipsis} tip={false} />}>
            <MenuItem icon={ArrowUpToLine} onSelect={() => order.place(run, 'first')}>
              {t.queues.top}
            </MenuItem>
            <MenuItem icon={ArrowDownToLine} onSelect={() => order.place(run, 'last')}>
              {t.queues.requeue}
            </MenuItem>
            <MenuItem icon={X} tone="danger" onSelect={() => void order.drop(run)}>
              {t.queues.drop}
            </MenuItem>
            <MenuLine />
            <CopyItems command={[placeCommand(run.id, 'first'), placeCommand(run.id, 'last'), dropCommand(run.id)]} />
          </Menu>
        </span>
      ),
    },
  ];
  return <DataTable label={t.queues.head} columns={columns} rows={runs} rowKey={(run) => run.id} rowName={(run) => run.job} empty={<p className={css.nothing}>{t.queues.nothingWaits}</p>} />;
}
