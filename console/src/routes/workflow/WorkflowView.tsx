import { ArrowDownUp, ArrowLeftRight, ChartGantt, Grid3x3, List, Network } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Button } from '@/components/Button';
import { useCopy } from '@/components/Copy';
import { TextInput } from '@/components/Field';
import { NothingMatches } from '@/components/Feedback';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { Gantt } from './Gantt';
import { GraphView } from './GraphView';
import { RunGrid } from './RunGrid';
import { TaskPanel } from './TaskPanel';
import { TaskTable } from './TaskTable';
import css from './Workflow.module.css';
import { focused, graphOf, inOrder, mermaid } from './graph';
import type { Direction } from './shape';
import type { TaskStatus } from './status';
import { useDirection } from './useDirection';

/** What of a workflow is shown: a part of the address. */
export interface WorkflowSearch {
  view?: 'graph' | 'list' | 'gantt' | 'grid' | undefined;
  focus?: string | undefined;
  task?: string | undefined;
  dir?: Direction | undefined;
}

export interface WorkflowViewProps {
  namespace: string;
  tasks: Record<string, unknown>;
  /** The run whose tasks are shown; absent: the workflow as it is written. */
  of?: { run: string; begin: string | null | undefined; end: string | null | undefined; statuses: ReadonlyMap<string, TaskStatus> } | undefined;
  /** The job whose last runs are shown beside each other. */
  job?: string | undefined;
  search: WorkflowSearch;
  onSearch: (change: WorkflowSearch) => void;
}

const icons = { graph: Network, list: List, gantt: ChartGantt, grid: Grid3x3 };

/** The tasks of a workflow: as a graph or as a list, all or those around one, with what is known of the one that is chosen. */
export function WorkflowView({ namespace, tasks, of, job, search, onSearch }: WorkflowViewProps) {
  const t = useT();
  const formats = useFormats();
  const copy = useCopy();
  const statuses = of?.statuses;
  const views: readonly (keyof typeof icons)[] = of ? ['graph', 'list', 'gantt'] : job ? ['graph', 'list', 'grid'] : ['graph', 'list'];
  const { focus = '', task } = search;
  const { direction: dir, turned } = useDirection(search.dir);
  const view = views.find((each) => each === search.view) ?? 'graph';
  const graph = useMemo(() => graphOf(tasks), [tasks]);
  const nodes = useMemo(() => focused(graph, focus), [graph, focus]);
  const ordered = useMemo(() => inOrder(graph), [graph]);
  const names = (wanted: (at: number) => boolean) => ordered.filter(wanted).flatMap((at) => graph.nodes[at]?.name ?? []);
  const chosen = graph.nodes.find(({ name }) => name === task);
  const choose = (name: string | undefined) => onSearch({ task: name });
  const show = (next: keyof typeof icons) => onSearch({ view: next === 'graph' ? undefined : next });
  const other = views[(views.indexOf(view) + 1) % views.length] ?? 'graph';
  useKeys([{ keys: 'v', label: t.workflow.views[other], group: t.shell.groupPage, run: () => show(other) }]);
  const onFail = useCallback(() => {
    toast({ tone: 'bad', text: t.workflow.noLayout });
    onSearch({ view: 'list' });
  }, [t, onSearch]);
  return (
    <div className={css.workflow}>
      <div className={css.bar}>
        <div className={css.views} role="group" aria-label={t.workflow.tasks}>
          {views.map((each) => (
            <Button key={each} size="s" icon={icons[each]} tone="quiet" aria-pressed={view === each} onClick={() => show(each)}>
              {t.workflow.views[each]}
            </Button>
          ))}
        </div>
        <TextInput mono className={css.focus} data-page-search aria-label={t.workflow.focus} placeholder={t.workflow.focusHint} value={focus} onChange={(event) => onSearch({ focus: event.target.value || undefined })} />
        {view === 'graph' && (
          <Button size="s" tone="quiet" icon={dir === 'LR' ? ArrowDownUp : ArrowLeftRight} onClick={() => onSearch({ dir: turned() })}>
            {dir === 'LR' ? t.workflow.topDown : t.workflow.leftRight}
          </Button>
        )}
        <Button size="s" tone="quiet" onClick={() => copy(mermaid(graph))}>
          {t.workflow.copyMermaid}
        </Button>
        <span className={css.quiet}>{t.workflow.count(formats.number(nodes.size), formats.number(graph.nodes.length))}</span>
      </div>
      <div className={css.body} data-panel={chosen ? true : undefined}>
        {view === 'gantt' && of ? (
          <Gantt statuses={of.statuses} begin={of.begin} end={of.end} chosen={chosen?.name} onChoose={choose} />
        ) : view === 'grid' && job ? (
          <RunGrid namespace={namespace} job={job} tasks={names((at) => nodes.has(at))} without={names((at) => !nodes.has(at))} />
        ) : view === 'list' ? (
          <TaskTable graph={graph} nodes={nodes} statuses={statuses} onChoose={choose} onClear={() => onSearch({ focus: undefined })} />
        ) : nodes.size === 0 ? (
          <NothingMatches onClear={() => onSearch({ focus: undefined })} />
        ) : (
          <GraphView graph={graph} nodes={nodes} direction={dir} statuses={statuses} chosen={chosen?.name} onChoose={choose} onFail={onFail} />
        )}
        {chosen && <TaskPanel graph={graph} node={chosen} namespace={namespace} statuses={statuses} run={of?.run} onChoose={choose} />}
      </div>
    </div>
  );
}
