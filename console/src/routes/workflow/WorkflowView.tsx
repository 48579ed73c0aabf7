import { ArrowDownUp, ArrowLeftRight, List, Network } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Button } from '@/components/Button';
import { useCopy } from '@/components/Copy';
import { TextInput } from '@/components/Field';
import { NothingMatches } from '@/components/Feedback';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { GraphView } from './GraphView';
import { TaskPanel } from './TaskPanel';
import { TaskTable } from './TaskTable';
import css from './Workflow.module.css';
import { focused, graphOf, mermaid } from './graph';
import type { Direction } from './shape';
import type { TaskStatus } from './status';

/** What of a workflow is shown: a part of the address. */
export interface WorkflowSearch {
  view?: 'graph' | 'list' | undefined;
  focus?: string | undefined;
  task?: string | undefined;
  dir?: Direction | undefined;
}

export interface WorkflowViewProps {
  namespace: string;
  tasks: Record<string, unknown>;
  /** How the tasks of a run stand; absent: the workflow as it is written. */
  statuses?: ReadonlyMap<string, TaskStatus> | undefined;
  search: WorkflowSearch;
  onSearch: (change: WorkflowSearch) => void;
}

/** The tasks of a workflow: as a graph or as a list, all or those around one, with what is known of the one that is chosen. */
export function WorkflowView({ namespace, tasks, statuses, search, onSearch }: WorkflowViewProps) {
  const t = useT();
  const formats = useFormats();
  const copy = useCopy();
  const { view = 'graph', focus = '', task, dir = 'LR' } = search;
  const graph = useMemo(() => graphOf(tasks), [tasks]);
  const nodes = useMemo(() => focused(graph, focus), [graph, focus]);
  const chosen = graph.nodes.find(({ name }) => name === task);
  const choose = (name: string | undefined) => onSearch({ task: name });
  const other = view === 'graph' ? 'list' : 'graph';
  useKeys([{ keys: 'v', label: t.workflow.views[other], group: t.shell.groupPage, run: () => onSearch({ view: other === 'graph' ? undefined : 'list' }) }]);
  const onFail = useCallback(() => {
    toast({ tone: 'bad', text: t.workflow.noLayout });
    onSearch({ view: 'list' });
  }, [t, onSearch]);
  return (
    <div className={css.workflow}>
      <div className={css.bar}>
        <div className={css.views} role="group" aria-label={t.workflow.tasks}>
          {(['graph', 'list'] as const).map((each) => (
            <Button key={each} size="s" icon={each === 'graph' ? Network : List} tone="quiet" aria-pressed={view === each} onClick={() => onSearch({ view: each === 'graph' ? undefined : each })}>
              {t.workflow.views[each]}
            </Button>
          ))}
        </div>
        <TextInput mono className={css.focus} data-page-search aria-label={t.workflow.focus} placeholder={t.workflow.focusHint} value={focus} onChange={(event) => onSearch({ focus: event.target.value || undefined })} />
        {view === 'graph' && (
          <Button size="s" tone="quiet" icon={dir === 'LR' ? ArrowDownUp : ArrowLeftRight} onClick={() => onSearch({ dir: dir === 'LR' ? 'TB' : undefined })}>
            {dir === 'LR' ? t.workflow.topDown : t.workflow.leftRight}
          </Button>
        )}
        <Button size="s" tone="quiet" onClick={() => copy(mermaid(graph))}>
          {t.workflow.copyMermaid}
        </Button>
        <span className={css.quiet}>{t.workflow.count(formats.number(nodes.size), formats.number(graph.nodes.length))}</span>
      </div>
      <div className={css.body} data-panel={chosen ? true : undefined}>
        {view === 'list' ? (
          <TaskTable graph={graph} nodes={nodes} statuses={statuses} onChoose={choose} onClear={() => onSearch({ focus: undefined })} />
        ) : nodes.size === 0 ? (
          <NothingMatches onClear={() => onSearch({ focus: undefined })} />
        ) : (
          <GraphView graph={graph} nodes={nodes} direction={dir} statuses={statuses} chosen={chosen?.name} onChoose={choose} onFail={onFail} />
        )}
        {chosen && <TaskPanel graph={graph} node={chosen} namespace={namespace} statuses={statuses} onChoose={choose} />}
      </div>
    </div>
  );
}
