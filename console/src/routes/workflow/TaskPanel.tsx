import { X } from 'lucide-react';
import { IconButton } from '@/components/Button';
import { Facts } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import css from './Workflow.module.css';
import { TaskOfRun } from './TaskActions';
import type { TaskGraph, TaskNode } from './graph';
import type { TaskStatus } from './status';

export interface TaskPanelProps {
  graph: TaskGraph;
  node: TaskNode;
  namespace: string;
  statuses: ReadonlyMap<string, TaskStatus> | undefined;
  /** The run that they are of. */
  run: string | undefined;
  onChoose: (name: string | undefined) => void;
}

/** What a task does, what it needs, and how it stands: the log of one that failed first. */
export function TaskPanel({ graph, node, namespace, statuses, run, onChoose }: TaskPanelProps) {
  const t = useT();
  const formats = useFormats();
  const at = graph.nodes.indexOf(node);
  const { spec } = node;
  const status = statuses?.get(node.name);
  const names = (indices: readonly number[] | undefined) => (
    <span className={css.names}>
      {(indices ?? []).map((index) => {
        const other = graph.nodes[index];
        const how = other && statuses?.get(other.name);
        return other ? (
          <button key={other.name} type="button" onClick={() => onChoose(other.name)}>
            {how && <StateBadge state={how.state} hideWord />} {other.name}
          </button>
        ) : null;
      })}
    </span>
  );
  const work = spec.run ?? spec.exec?.join(' ') ?? spec.script?.source ?? (spec.http ? `${spec.http.method ?? 'GET'} ${spec.http.url}` : spec.handler ?? spec.workflow);
  return (
    <aside className={css.panel} aria-label={t.workflow.task(node.name)}>
      <header>
        <h2>{node.name}</h2>
        <IconButton label={t.common.close} icon={X} tip={false} onClick={() => onChoose(undefined)} />
      </header>
      {status && run && <TaskOfRun run={run} namespace={namespace} node={node} status={status} />}
      {spec.description && <p>{spec.description}</p>}
      <Facts
        rows={[
          [t.workflow.kind, node.kind],
          [t.workflow.needs, (graph.up[at]?.length ?? 0) > 0 ? names(graph.up[at]) : t.common.none],
          [t.workflow.neededBy, (graph.down[at]?.length ?? 0) > 0 ? names(graph.down[at]) : t.common.none],
          [t.workflow.rule, <code key="rule">{spec.trigger_rule ?? 'all_success'}</code>],
          spec.if ? [t.workflow.condition, <code key="if">{spec.if}</code>] : undefined,
          node.times !== undefined ? [t.workflow.matrix, t.workflow.runs(formats.number(node.times))] : undefined,
          spec.map ? [t.workflow.map, <code key="map">{spec.map}</code>] : undefined,
          spec.max_parallel ? [t.workflow.parallel, formats.number(spec.max_parallel)] : undefined,
          spec.retries ? [t.editor.retries, formats.number(spec.retries)] : undefined,
          spec.timeout ? [t.editor.timeout, spec.timeout] : undefined,
          spec.queue ? [t.editor.queue, spec.queue] : undefined,
          spec.continue_on_error ? [t.workflow.onError, t.workflow.goesOn] : undefined,
          spec.finally ? [t.workflow.when, t.workflow.atTheEnd] : undefined,
          (spec.outputs?.length ?? 0) > 0 ? [t.workflow.outputs, (spec.outputs ?? []).join(', ')] : undefined,
        ]}
      />
      {work && (
        <pre className={css.work} tabIndex={0}>
          {work}
        </pre>
      )}
    </aside>
  );
}
