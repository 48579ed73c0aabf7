import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '@/components/Button';
import { useT } from '@/i18n';
import { Minimap } from './Minimap';
import css from './Workflow.module.css';
import { type Arrow, type Box, type Direction, type View, boxOf, first, fit, neighbour, pathOf, shown, zoomed } from './shape';
import type { Drawing } from './useLayout';

/** How a node looks. */
export interface Drawn {
  key: string;
  /** What the node is called for those who do not see it; absent where its text says it. */
  name?: string | undefined;
  /** The same where it is too far away to have a text. */
  far: string;
  state?: string | undefined;
  className?: string | undefined;
  /** Below this scale, nothing of it can be read, and only its plate is drawn. */
  content: ReactNode;
  plate: ReactNode;
}

export interface CanvasProps {
  label: string;
  drawing: Drawing;
  direction: Direction;
  /** The nodes that are chosen, by index. */
  chosen: ReadonlySet<number>;
  /** The scale at which all can be read: the first look shows all of the graph if it fits in at that, and else its beginning. */
  least?: number | undefined;
  /** Several can be chosen: a click on one that is chosen is told, too. */
  isMany?: boolean;
  draw: (index: number, box: Box) => Drawn | undefined;
  onChoose: (index: number | undefined) => void;
  /** Asks for the menu of a node: by the right button, or by keyboard. */
  onMenu?: (index: number, at: { x: number; y: number }, node: SVGGElement) => void;
}

/** Smaller than this, labels cannot be read and are left out. */
const READABLE = 0.4;
/** Beyond what is seen, in pixels, nodes are drawn all the same. */
const MARGIN = 300;

/** A graph that is moved by dragging, arrow keys or the wheel, and drawn as far as it is seen. */
export function Canvas({ label, drawing, direction, chosen, least, isMany = false, draw, onChoose, onMenu }: CanvasProps) {
  const t = useT();
  const { request, answer } = drawing;
  const box = useRef<SVGSVGElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const [view, setView] = useState<View>();
  const width = direction === 'LR' ? answer.length : answer.breadth;
  const height = direction === 'LR' ? answer.breadth : answer.length;
  const boxes = useMemo(() => request.along.map((_, index) => boxOf(index, request, answer, direction)), [request, answer, direction]);
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
  const current = view ?? first(width, height, size, least);
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
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, index: number) => {
    if (event.key.startsWith('Arrow')) {
      const next = neighbour(index, event.key as Arrow, answer, request.edges, direction);
      if (next !== undefined) focus(next);
    } else if (event.key === 'Enter' || event.key === ' ') onChoose(index);
    else if (event.key === 'Escape') onChoose(undefined);
    else if (event.key === 'Home') focus(0);
    else if (event.key === 'm' && onMenu) menu(index, event.currentTarget);
    else return;
    event.preventDefault();
  };
  const menu = (index: number, node: SVGGElement, event?: MouseEvent) => {
    const { left, bottom } = node.getBoundingClientRect();
    // The menu key has no place on the screen.
    onMenu?.(index, event && event.button === 2 ? { x: event.clientX, y: event.clientY } : { x: left, y: bottom }, node);
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
          if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY, view: current, moved: false };
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
            seen.has(from) || seen.has(to) ? <path key={index} d={paths[index]} className={css.edge} data-near={chosen.has(from) || chosen.has(to) || undefined} markerEnd={current.scale > READABLE ? 'url(#arrow)' : undefined} /> : null,
          )}
          {boxes.map((at, index) => {
            const drawn = seen.has(index) ? draw(index, at) : undefined;
            if (!drawn) return null;
            return (
              <g
                key={drawn.key}
                data-node={index}
                role="button"
                tabIndex={index === Math.min(active, boxes.length - 1) ? 0 : -1}
                // What can be read is its name.
                aria-label={current.scale > READABLE ? drawn.name : drawn.far}
                aria-pressed={chosen.has(index)}
                aria-haspopup={onMenu ? 'menu' : undefined}
                className={[css.node, drawn.className].filter(Boolean).join(' ')}
                data-state-word={drawn.state}
                transform={`translate(${at.x} ${at.y})`}
                onFocus={() => setActive(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
                onContextMenu={(event) => {
                  if (!onMenu) return;
                  event.preventDefault();
                  menu(index, event.currentTarget, event);
                }}
                onClick={() => !drag.current?.moved && onChoose(chosen.has(index) && !isMany ? undefined : index)}
              >
                {drawn.plate}
                {current.scale > READABLE && drawn.content}
              </g>
            );
          })}
        </g>
      </svg>
      <Minimap boxes={boxes} width={width} height={height} size={size} view={current} onView={setView} />
      <div className={css.zoom} role="group" aria-label={t.workflow.zoom}>
        <IconButton label={t.workflow.zoomIn} icon={ZoomIn} tone="plain" onClick={() => zoom(1.3)} />
        <IconButton label={t.workflow.zoomOut} icon={ZoomOut} tone="plain" onClick={() => zoom(1 / 1.3)} />
        <IconButton label={t.workflow.fit} icon={Maximize} tone="plain" onClick={() => setView(fit(width, height, size))} />
      </div>
    </div>
  );
}
