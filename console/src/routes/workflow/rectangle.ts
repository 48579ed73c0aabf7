/** A rectangle in the grid of tasks by runs. Its corners are names, so that it stays where it is when runs come and go. Pure. */
import type { Run } from '../runs/queries';
import type { TaskStatus } from './status';

/** A cell: row and column. */
export type At = readonly [row: number, column: number];

export interface Spot {
  task: string;
  run: string;
}

export interface Rectangle {
  /** Where it was begun. */
  anchor: Spot;
  /** The corner that moves. */
  head: Spot;
}

export interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** Where a rectangle lies among the tasks and runs that there are; nothing once a corner of it is gone. */
export function boxOf(rectangle: Rectangle | undefined, tasks: readonly string[], runs: readonly Pick<Run, 'id'>[]): Box | undefined {
  if (!rectangle) return undefined;
  const rows = [rectangle.anchor, rectangle.head].map(({ task }) => tasks.indexOf(task));
  const columns = [rectangle.anchor, rectangle.head].map(({ run }) => runs.findIndex(({ id }) => id === run));
  if ([...rows, ...columns].includes(-1)) return undefined;
  return { top: Math.min(...rows), bottom: Math.max(...rows), left: Math.min(...columns), right: Math.max(...columns) };
}

export function holds(box: Box | undefined, row: number, column: number): boolean {
  return box !== undefined && row >= box.top && row <= box.bottom && column >= box.left && column <= box.right;
}

/** Where a key leads from a cell; nothing for keys that lead nowhere. */
export function move(key: string, [row, column]: At, rows: number, columns: number): At | undefined {
  const steps: Record<string, At> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -columns], End: [0, columns], PageUp: [-10, 0], PageDown: [10, 0] };
  const by = steps[key];
  const within = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
  return by && [within(row + by[0], rows), within(column + by[1], columns)];
}

/** Runs from left to right: by fire time, and those that people have started by when they did. */
export function byTime(runs: readonly Run[]): Run[] {
  const at = (run: Run) => Date.parse(run.rerun_of ? run.created_at : (run.fire_at ?? run.created_at));
  return runs.toSorted((a, b) => at(a) - at(b) || a.id.localeCompare(b.id));
}

/** What a rectangle holds of one run. */
export interface Chosen {
  run: Run;
  tasks: TaskStatus[];
}

/** The tasks in a rectangle, by run: those that the run has. */
export function chosenOf(box: Box, names: readonly string[], runs: readonly Run[], statuses: readonly ReadonlyMap<string, TaskStatus>[]): Chosen[] {
  return runs.slice(box.left, box.right + 1).map((run, index) => ({
    run,
    tasks: names.slice(box.top, box.bottom + 1).flatMap((name) => statuses[box.left + index]?.get(name) ?? []),
  }));
}

/** From the first fire time to the last one; nothing where no run has one. */
export function datesOf(chosen: readonly Chosen[]): { from: string; to: string } | undefined {
  const times = chosen.flatMap(({ run }) => run.fire_at ?? []).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [from] = times;
  const to = times.at(-1);
  return from && to ? { from, to } : undefined;
}

/** What a backfill of a rectangle runs again: its tasks, or whole runs where it holds all tasks that there are. */
export function partOf(names: readonly string[], all: readonly string[]): { reprocess: 'all' } | { reprocess: 'tasks'; tasks: string } {
  return names.length === all.length ? { reprocess: 'all' } : { reprocess: 'tasks', tasks: names.join(',') };
}
