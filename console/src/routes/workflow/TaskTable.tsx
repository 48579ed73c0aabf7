import { type Column, DataTable } from '@/components/DataTable';
import { NothingMatches } from '@/components/Feedback';
import { Took } from '@/components/Instant';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import css from './Workflow.module.css';
import { type TaskGraph, type TaskNode, needsOf } from './graph';
import type { TaskStatus } from './status';

export interface TaskTableProps {
  graph: TaskGraph;
  nodes: ReadonlySet<number>;
  statuses: ReadonlyMap<string, TaskStatus> | undefined;
  onChoose: (name: string) => void;
  onClear: () => void;
}

/** The tasks as a list: all that the graph says, for those who do not see it. */
export function TaskTable({ graph, nodes, statuses, onChoose, onClear }: TaskTableProps) {
  const t = useT();
  const formats = useFormats();
  const all: (Column<TaskNode> | false)[] = [
    {
      id: 'name',
      header: t.workflow.taskWord,
      cell: ({ name, times }) => (
        <button type="button" className={css.link} onClick={() => onChoose(name)}>
          {name} {times !== undefined && <span className={css.quiet}>×{formats.number(times)}</span>}
        </button>
      ),
    },
    statuses !== undefined && {
      id: 'state',
      header: t.runs.state,
      width: '10rem',
      cell: ({ name }) => {
        const status = statuses.get(name);
        return status ? <StateBadge state={status.state} word={t.workflow.words[status.word ?? 'none'] || t.states.words[status.state]} /> : t.common.none;
      },
    },
    statuses !== undefined && {
      id: 'took',
      header: t.runs.took,
      width: '6rem',
      align: 'end',
      cell: ({ name }) => {
        const status = statuses.get(name);
        return <Took from={status?.task.started_at} to={status?.task.ended_at} />;
      },
    },
    { id: 'kind', header: t.workflow.kind, width: '7rem', cell: ({ kind }) => kind },
    { id: 'needs', header: t.workflow.needs, cell: ({ spec }) => <span className={css.quiet}>{needsOf(spec).join(', ')}</span> },
    { id: 'rule', header: t.workflow.rule, wide: true, cell: ({ spec }) => <code>{spec.trigger_rule ?? 'all_success'}</code> },
    { id: 'condition', header: t.workflow.condition, wide: true, cell: ({ spec }) => (spec.if ? <code>{spec.if}</code> : '') },
  ];
  const rows = graph.nodes.filter((_, index) => nodes.has(index));
  return (
    <DataTable
      label={t.workflow.tasks}
      columns={all.filter((column) => column !== false)}
      rows={rows}
      rowKey={({ name }) => name}
      onOpen={({ name }) => onChoose(name)}
      empty={<NothingMatches onClear={onClear} />}
    />
  );
}
