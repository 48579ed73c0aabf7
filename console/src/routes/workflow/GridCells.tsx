import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type PointerEvent, type MouseEvent, useRef, useState } from 'react';
import { StateGlyph } from '@/components/StateBadge';
import { useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { instant } from '@/lib/time';
import { runState } from '@/states';
import type { Run } from '../runs/queries';
import css from './RunGrid.module.css';
import { type At, type Box, type Rectangle, holds, move } from './rectangle';
import type { TaskStatus } from './status';
import { useRunTime, useTaskWord } from './useWords';

const ROW_PX = 26;

export interface GridCellsProps {
  runs: readonly Run[];
  /** Tasks, from top to bottom. */
  names: readonly string[];
  /** How the tasks stand, for each run. */
  statuses: readonly ReadonlyMap<string, TaskStatus>[];
  rectangle: Rectangle | undefined;
  /** Where it lies. */
  box: Box | undefined;
  /** Whether a press chooses a corner and does not open the task: for those who cannot drag. */
  picking: boolean;
  onRectangle: (rectangle: Rectangle | undefined) => void;
}

/** The cell in which something happened. */
function cellOf(event: { target: EventTarget }): At | undefined {
  const cell = event.target instanceof Element ? event.target.closest('[data-cell]')?.getAttribute('data-cell') : undefined;
  const [row, column] = (cell ?? '').split(',').map(Number);
  return cell && row !== undefined && column !== undefined ? [row, column] : undefined;
}

/** The cells: keys and the mouse move in them, open a task, and draw a rectangle. */
export function GridCells({ runs, names, statuses, rectangle, box, picking, onRectangle }: GridCellsProps) {
  const t = useT();
  const at = useRunTime();
  const wordOf = useTaskWord();
  const navigate = useNavigate();
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: names.length, getScrollElement: () => scroll.current, estimateSize: () => ROW_PX, overscan: 20 });
  const rows = virtual.getVirtualItems();
  const [kept, setActive] = useState<At>([0, runs.length - 1]);
  const active: At = [Math.min(kept[0], names.length - 1), Math.min(kept[1], runs.length - 1)];
  // Where the mouse went down, and whether it has drawn since: what was drawn is not opened.
  const drag = useRef<{ from: At; drawn: boolean }>(undefined);
  const took = runs.map((run) => Math.max(0, (run.ended_at ? instant(run.ended_at) : serverNow()) - instant(run.started_at)));
  const longest = Math.max(1, ...took.filter(Number.isFinite));

  const spot = ([row, column]: At) => ({ task: names[row] ?? '', run: runs[column]?.id ?? '' });
  const draw = (from: At, to: At) => onRectangle({ anchor: spot(from), head: spot(to) });
  const extend = (to: At) => (box && rectangle ? onRectangle({ anchor: rectangle.anchor, head: spot(to) }) : draw(active, to));
  const open = ([row, column]: At) => {
    const run = runs[column];
    const task = names[row];
    if (run && task && statuses[column]?.has(task)) void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id }, search: { task } });
  };
  const focus = (to: At) => {
    setActive(to);
    virtual.scrollToIndex(to[0]);
    requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`[data-cell="${to.join()}"]`)?.focus());
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!cellOf(event)) return;
    const next = move(event.key, active, names.length, runs.length);
    if (next && event.shiftKey) extend(next);
    else if (next || event.key === 'Escape') onRectangle(undefined);
    else if (event.key === ' ') (event.shiftKey ? extend : (to: At) => draw(to, to))(active);
    else if (event.key === 'Enter') open(active);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) draw([0, 0], [names.length - 1, runs.length - 1]);
    else return;
    event.preventDefault();
    if (next) focus(next);
  };
  const onPointerDown = (event: PointerEvent) => {
    const from = cellOf(event);
    drag.current = from && event.pointerType === 'mouse' && event.button === 0 && !event.shiftKey ? { from, drawn: false } : undefined;
  };
  const onPointerOver = (event: PointerEvent) => {
    const to = cellOf(event);
    if (!to || !drag.current || (event.buttons & 1) === 0) return;
    if (to.join() === drag.current.from.join() && !drag.current.drawn) return;
    drag.current.drawn = true;
    draw(drag.current.from, to);
    setActive(to);
  };
  const onClick = (event: MouseEvent) => {
    const to = cellOf(event);
    if (!to) return;
    const drawn = drag.current?.drawn ?? false;
    drag.current = undefined;
    if (drawn) return;
    if (event.shiftKey || (picking && box)) extend(to);
    else if (picking) draw(to, to);
    else open(to);
    setActive(to);
  };
  return (
    <div ref={scroll} className={css.box} role="region" aria-label={t.workflow.lastRuns} tabIndex={-1}>
      <table
        className={css.grid}
        role="grid"
        aria-label={t.workflow.grid}
        aria-multiselectable="true"
        aria-rowcount={names.length + 1}
        aria-colcount={runs.length + 1}
        data-picking={picking || undefined}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerOver={onPointerOver}
        onClick={onClick}
      >
        <thead>
          <tr aria-rowindex={1}>
            <td />
            {runs.map((run, column) => (
              <th key={run.id} scope="col" data-in={(box && column >= box.left && column <= box.right) || undefined}>
                <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }} aria-label={`${at(run)}, ${t.states.words[runState(run)]}`} title={at(run)} draggable={false}>
                  <span className={css.bar} data-state-word={runState(run)} style={{ height: `${Math.max(3, (28 * (took[column] ?? 0)) / longest)}px` }} />
                  <StateGlyph state={runState(run)} />
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={rows[0]?.start ?? 0} />
          {rows.map(({ index: row }) => {
            const name = names[row] ?? '';
            return (
              <tr key={name} aria-rowindex={row + 2}>
                <th scope="row" data-in={(box && row >= box.top && row <= box.bottom) || undefined}>
                  {name}
                </th>
                {runs.map((run, column) => {
                  const status = statuses[column]?.get(name);
                  const words = [name, at(run), wordOf(status)] as const;
                  const isChosen = holds(box, row, column);
                  return (
                    <td
                      key={run.id}
                      role="gridcell"
                      data-cell={`${row},${column}`}
                      data-edges={isChosen && box ? edges(box, row, column) : undefined}
                      aria-selected={isChosen}
                      aria-label={`${words[0]}, ${words[1]}: ${words[2]}`}
                      title={words.join('\n')}
                      tabIndex={row === active[0] && column === active[1] ? 0 : -1}
                      onFocus={() => setActive([row, column])}
                    >
                      {status ? <StateGlyph state={status.state} /> : <span className={css.absent} aria-hidden="true" />}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          <Gap height={virtual.getTotalSize() - (rows.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

/** The sides of a rectangle that a cell lies at. */
function edges({ top, bottom, left, right }: Box, row: number, column: number): string {
  return [row === top && 'top', row === bottom && 'bottom', column === left && 'left', column === right && 'right'].filter(Boolean).join(' ');
}

/** The place of rows that are not drawn. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}
