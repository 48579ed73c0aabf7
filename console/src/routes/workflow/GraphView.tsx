import { useEffect, useMemo } from 'react';
import { Skeleton } from '@/components/Feedback';
import { useT } from '@/i18n';
import { type State, glyphs } from '@/states';
import { Canvas, type Drawn } from './Canvas';
import css from './Workflow.module.css';
import type { TaskGraph } from './graph';
import { type Box, type Direction, cut, requestOf } from './shape';
import { type TaskStatus, progressOf } from './status';
import { useLayout } from './useLayout';

export interface GraphViewProps {
  graph: TaskGraph;
  /** Indices of the tasks that are drawn. */
  nodes: ReadonlySet<number>;
  direction: Direction;
  statuses: ReadonlyMap<string, TaskStatus> | undefined;
  /** One task, or several. */
  chosen: string | undefined | ReadonlySet<string>;
  onChoose: (name: string | undefined) => void;
  /** What is to be seen of tasks in place of how they stand. */
  marks?: ReadonlyMap<string, { state: State; word: string }> | undefined;
  /** The layout could not be made: the list has everything, too. */
  onFail: () => void;
}

/** Tasks and what they need of each other. */
export function GraphView({ graph, nodes, direction, statuses, chosen, onChoose, marks, onFail }: GraphViewProps) {
  const t = useT();
  const shownNodes = useMemo(() => [...nodes].sort((a, b) => a - b), [nodes]);
  const request = useMemo(() => {
    const place = new Map(shownNodes.map((node, index) => [node, index]));
    const edges = graph.edges.flatMap(([from, to]): [number, number][] => {
      const ends = [place.get(from), place.get(to)] as const;
      return ends[0] === undefined || ends[1] === undefined ? [] : [[ends[0], ends[1]]];
    });
    return requestOf(shownNodes.map((node) => labelOf(graph, node)), edges, direction);
  }, [graph, shownNodes, direction]);
  const { drawing, hasFailed } = useLayout(request);
  useEffect(() => {
    if (hasFailed) onFail();
  }, [hasFailed, onFail]);
  // Until the new drawing is there, the one before belongs to other nodes.
  if (!drawing || drawing.request !== request) return <Skeleton lines={10} />;

  const draw = (index: number, at: Box): Drawn | undefined => {
    const node = graph.nodes[shownNodes[index] ?? -1];
    if (!node) return undefined;
    const status = statuses?.get(node.name);
    const text = labelOf(graph, shownNodes[index] ?? -1);
    const progress = progressOf(status?.task.items ?? status?.task.tasks);
    const mark = marks?.get(node.name);
    const word = mark ? mark.word : progress ? t.workflow.progress(String(progress.done), String(progress.total), progress.failed) : status ? t.workflow.words[status.word ?? 'none'] || t.states.words[status.state] : node.kind;
    return {
      key: node.name,
      name: cut(text, at.width) === text ? undefined : `${text} ${word}`,
      far: `${text} ${word}`,
      state: mark?.state ?? status?.state,
      plate: (
        <>
          <rect width={at.width} height={at.height} rx={node.kind === 'group' ? at.height / 2 : 6} className={css.plate} strokeDasharray={node.spec.finally ? '5 3' : undefined} />
          {node.times !== undefined && <path d={`M6 -3.500h${at.width - 12}`} className={css.stack} />}
        </>
      ),
      content: (
        <>
          <g transform="translate(12 14)">
            <Glyph state={mark?.state ?? status?.state} />
          </g>
          <text x="32" y="18" className={css.label}>
            {cut(text, at.width)}
          </text>
          <text x="32" y="32" className={css.kind}>
            {word}
          </text>
        </>
      ),
    };
  };
  const nameOf = (index: number | undefined) => graph.nodes[shownNodes[index ?? -1] ?? -1]?.name;
  const isChosen = (name: string) => (typeof chosen === 'object' ? chosen.has(name) : name === chosen);
  const indices = new Set(shownNodes.flatMap((node, index) => (isChosen(graph.nodes[node]?.name ?? '') ? [index] : [])));
  return <Canvas label={t.workflow.graph} drawing={drawing} direction={direction} chosen={indices} isMany={typeof chosen === 'object'} draw={draw} onChoose={(index) => onChoose(nameOf(index))} />;
}

function labelOf(graph: TaskGraph, node: number): string {
  const found = graph.nodes[node];
  return found?.times === undefined ? (found?.name ?? '') : `${found.name} ×${found.times}`;
}

function Glyph({ state }: { state: State | undefined }) {
  if (!state) return <circle cx="6" cy="6" r="4" className={css.dot} />;
  const { fill, stroke } = glyphs[state];
  return (
    <>
      {fill && <path d={fill} fill="currentColor" fillRule="evenodd" />}
      {stroke && <path d={stroke} fill="none" stroke="currentColor" strokeWidth="1.400" strokeLinecap="round" strokeLinejoin="round" />}
    </>
  );
}
