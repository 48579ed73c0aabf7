import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '@/components/Button';
import { Skeleton } from '@/components/Feedback';
import { useT } from '@/i18n';
import { glyphs } from '@/states';
import css from './Workflow.module.css';
import type { TaskGraph } from './graph';
import { type Arrow, type Box, type Direction, type View, boxOf, cut, first, fit, neighbour, pathOf, requestOf, shown, zoomed } from './shape';
import { type TaskStatus, progressOf } from './status';
import { type Drawing, useLayout } from './useLayout';

export interface GraphViewProps {
  graph: TaskGraph;
  /** Indices of the tasks that are drawn. */
  nodes: ReadonlySet<number>;
  direction: Direction;
  statuses: ReadonlyMap<string, TaskStatus> | undefined;
  chosen: string | undefined;
  onChoose: (name: string | undefined) => void;
  /** The layout could not be made: the list has everything, too. */
  onFail: () => void;
}

/** Smaller than this, labels cannot be read and are left out. */
const READABLE = 0.4;
/** Beyond what is seen, in pixels, tasks are drawn all the same. */
const MARGIN = 300;

/** Tasks and what they need of each other: moved by dragging, arrow keys or the wheel, and drawn as far as it is seen. */
export function GraphView({ graph, nodes, direction, statuses, chosen, onChoose, onFail }: GraphViewProps) {
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
  return <Drawn {...{ graph, nodes: shownNodes, direction, statuses, chosen, onChoose, drawing }} label={t.workflow.graph} />;
}

function labelOf(graph: TaskGraph, node: number): string {
  const found = graph.nodes[node];
  return found?.times === undefined ? (found?.name ?? '') : `${found.name} ×${found.times}`;
}

interface DrawnProps extends Pick<GraphViewProps, 'graph' | 'direction' | 'statuses' | 'chosen' | 'onChoose'> {
  nodes: readonly number[];
  drawing: Drawing;
  label: string;
}

function Drawn({ graph, nodes, direction, statuses, chosen, onChoose, drawing, label }: DrawnProps) {
  const t = useT();
  const { request, answer } = drawing;
  const box = useRef<SVGSVGElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const [view, setView] = useState<View>();
  const width = direction === 'LR' ? answer.length : answer.breadth;
  const height = direction === 'LR' ? answer.breadth : answer.length;
  const boxes = useMemo(() => nodes.map((_, index) => boxOf(index, request, answer, direction)), [nodes, request, answer, direction]);
  const paths = useMemo(() => request.edges.map((_, index) => pathOf(index, request, answer, direction)), [request, answer, direction]);

  useEffect(() => {
    const svg = box.current;
    if (!svg) return undefined;
    const measure = () => setSize({ width: svg.clientWidth, height: svg.clientHeight });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(svg);
    return () => watch.disconnect();
  }, []);
  // Whoever has moved the view keeps it.
  const current = view ?? first(width, height, size);
  const latest = useRef(current);
  latest.current = current;

  useEffect(() => {
    const svg = box.current;
    // React listens passively, and the page would scroll too.
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = (svg as SVGSVGElement).getBoundingClientRect();
      const { x, y, scale } = latest.current;
      setView(event.ctrlKey || event.metaKey ? zoomed(latest.current, Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top) : { scale, x: x - event.deltaX, y: y - event.deltaY });
    };
    svg?.addEventListener('wheel', wheel, { passive: false });
    return () => svg?.removeEventListener('wheel', wheel);
  }, []);

  const drag = useRef<{ x: number; y: number; view: View; moved: boolean }>(undefined);
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current;
    if (!from) return;
    if (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 4) return;
    from.moved = true;
    setView({ ...from.view, x: from.view.x + event.clientX - from.x, y: from.view.y + event.clientY - from.y });
  };

  const [active, setActive] = useState(0);
  const focus = useCallback(
    (index: number) => {
      const at = boxes[index];
      if (!at) return;
      // At once: the next key may be on its way, and goes to what has the focus.
      flushSync(() => {
        setActive(index);
        setView(shown(latest.current, at, size));
      });
      box.current?.querySelector<SVGGElement>(`[data-node="${index}"]`)?.focus();
    },
    [boxes, size],
  );
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const name = graph.nodes[nodes[index] ?? -1]?.name;
    if (event.key.startsWith('Arrow')) {
      const next = neighbour(index, event.key as Arrow, answer, request.edges, direction);
      if (next !== undefined) focus(next);
    } else if (event.key === 'Enter' || event.key === ' ') onChoose(name);
    else if (event.key === 'Escape') onChoose(undefined);
    else if (event.key === 'Home') focus(0);
    else return;
    event.preventDefault();
  };

  const isSeen = (at: Box) =>
    current.x + (at.x + at.width) * current.scale > -MARGIN && current.x + at.x * current.scale < size.width + MARGIN && current.y + (at.y + at.height) * current.scale > -MARGIN && current.y + at.y * current.scale < size.height + MARGIN;
  const seen = new Set(boxes.flatMap((at, index) => (isSeen(at) || index === active ? [index] : [])));
  const zoom = (factor: number) => setView(zoomed(current, factor, size.width / 2, size.height / 2));
  return (
    <div className={css.canvas}>
      <svg
        ref={box}
        role="group"
        aria-label={label}
        data-took={Math.round(drawing.took)}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, view: current, moved: false };
        }}
        onPointerMove={onPointerMove}
        onPointerUp={() => (drag.current = undefined)}
        onPointerLeave={() => (drag.current = undefined)}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
            <path d="M0 .8 7 4 0 7.200z" className={css.arrow} />
          </marker>
        </defs>
        <g transform={`translate(${current.x} ${current.y}) scale(${current.scale})`}>
          {request.edges.map(([from, to], index) =>
            seen.has(from) || seen.has(to) ? (
              <path key={index} d={paths[index]} className={css.edge} data-near={(chosen !== undefined && [from, to].some((end) => graph.nodes[nodes[end] ?? -1]?.name === chosen)) || undefined} markerEnd={current.scale > READABLE ? 'url(#arrow)' : undefined} />
            ) : null,
          )}
          {boxes.map((at, index) => {
            const node = graph.nodes[nodes[index] ?? -1];
            if (!node || !seen.has(index)) return null;
            const status = statuses?.get(node.name);
            const text = labelOf(graph, nodes[index] ?? -1);
            const progress = progressOf(status?.task.items);
            const word = progress ? t.workflow.progress(String(progress.done), String(progress.total), progress.failed) : status ? t.workflow.words[status.word ?? 'none'] || t.states.words[status.state] : node.kind;
            return (
              <g
                key={node.name}
                data-node={index}
                role="button"
                tabIndex={index === Math.min(active, boxes.length - 1) ? 0 : -1}
                // What can be read is its name.
                aria-label={current.scale > READABLE && cut(text, at.width) === text ? undefined : `${text} ${word}`}
                aria-pressed={node.name === chosen}
                className={css.node}
                data-state-word={status?.state}
                transform={`translate(${at.x} ${at.y})`}
                onFocus={() => setActive(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
                onClick={() => !drag.current?.moved && onChoose(node.name === chosen ? undefined : node.name)}
              >
                <rect width={at.width} height={at.height} rx="6" className={css.plate} strokeDasharray={node.spec.finally ? '5 3' : undefined} />
                {node.times !== undefined && <path d={`M6 -3.500h${at.width - 12}`} className={css.stack} />}
                {current.scale > READABLE && (
                  <>
                    <g transform="translate(12 14)">
                      <Glyph status={status} />
                    </g>
                    <text x="32" y="18" className={css.label}>
                      {cut(text, at.width)}
                    </text>
                    <text x="32" y="32" className={css.kind}>
                      {word}
                    </text>
                  </>
                )}
              </g>
            );
          })}
        </g>
      </svg>
      <div className={css.zoom} role="group" aria-label={t.workflow.zoom}>
        <IconButton label={t.workflow.zoomIn} icon={ZoomIn} tone="plain" onClick={() => zoom(1.3)} />
        <IconButton label={t.workflow.zoomOut} icon={ZoomOut} tone="plain" onClick={() => zoom(1 / 1.3)} />
        <IconButton label={t.workflow.fit} icon={Maximize} tone="plain" onClick={() => setView(fit(width, height, size))} />
      </div>
    </div>
  );
}

function Glyph({ status }: { status: TaskStatus | undefined }) {
  if (!status) return <circle cx="6" cy="6" r="4" className={css.dot} />;
  const { fill, stroke } = glyphs[status.state];
  return (
    <>
      {fill && <path d={fill} fill="currentColor" fillRule="evenodd" />}
      {stroke && <path d={stroke} fill="none" stroke="currentColor" strokeWidth="1.400" strokeLinecap="round" strokeLinejoin="round" />}
    </>
  );
}
