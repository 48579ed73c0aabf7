/** Flows as graphs: components and, between them, the queues. Pure. */
import type { State } from '@/states';
import type { LayoutRequest } from '../workflow/layout';
import type { Direction } from '../workflow/shape';
import type { ComponentSpec, Flow, FlowComponent, FlowConnection, FlowMinute } from './queries';

export const COMPONENT = { width: 224, height: 78 };
export const QUEUE = { width: 140, height: 40 };
/** Between a component and a queue: there are twice as many layers as components in a row. */
const GAP = 30;

export interface FlowNode {
  kind: 'component' | 'connection';
  name: string;
}

export interface FlowGraph {
  nodes: readonly FlowNode[];
  request: LayoutRequest;
}

/** A queue is a node between its components: it has room for what is in it, and keys reach it. */
export function graphOf(components: readonly string[], connections: readonly Pick<FlowConnection, 'name' | 'from' | 'to'>[], direction: Direction): FlowGraph {
  const nodes: FlowNode[] = [...components.map((name) => ({ kind: 'component' as const, name })), ...connections.map(({ name }) => ({ kind: 'connection' as const, name }))];
  const place = new Map(components.map((name, index) => [name, index]));
  const edges = connections.flatMap(({ from, to }, index): [number, number][] => {
    const [begin, end] = [place.get(from), place.get(to)];
    const queue = components.length + index;
    return begin === undefined || end === undefined ? [] : [[begin, queue], [queue, end]];
  });
  const sizes = nodes.map(({ kind }) => (kind === 'component' ? COMPONENT : QUEUE));
  const widths = sizes.map(({ width }) => width);
  const heights = sizes.map(({ height }) => height);
  return { nodes, request: direction === 'LR' ? { along: widths, across: heights, edges, gap: GAP } : { along: heights, across: widths, edges, gap: GAP } };
}

const BODIES = ['run', 'exec', 'http', 'handler', 'script', 'generate', 'log', 'route', 'split', 'merge', 'wait', 'funnel', 'http_in', 'file_in', 'file_out', 'run_job'] as const;

/** What its body does, in the word of the file. */
export function kindOf(spec: ComponentSpec | undefined): string {
  const keys = Object.entries(spec ?? {}).flatMap(([key, value]) => (value === undefined || value === null || value === false ? [] : [key]));
  return BODIES.find((body) => keys.includes(body)) ?? '';
}

export type FlowWord = 'running' | 'stopped' | 'run_once' | 'waiting_valid' | 'disabled';

/** Whether somebody has started it, and it is not over. */
export const isStarted = ({ state }: Pick<FlowComponent, 'state'>): boolean => state === 'running' || state === 'run_once' || state === 'waiting_valid';

/** How a component stands, as a state of the console and in its own word. */
export function stateOf({ state }: Pick<FlowComponent, 'state'>): { state: State; word: FlowWord } {
  if (state === 'running') return { state: 'running', word: 'running' };
  if (state === 'run_once') return { state: 'running', word: 'run_once' };
  if (state === 'waiting_valid') return { state: 'waiting', word: 'waiting_valid' };
  return state === 'disabled' ? { state: 'skipped', word: 'disabled' } : { state: 'cancelled', word: 'stopped' };
}

/** How full a queue is, of the nearer of its limits: 0 to 1. */
export function fullness({ items, bytes, max_items, max_bytes }: Pick<FlowConnection, 'items' | 'bytes' | 'max_items' | 'max_bytes'>): number {
  return Math.min(1, Math.max(max_items > 0 ? items / max_items : 0, max_bytes > 0 ? bytes / max_bytes : 0));
}

/** The relationships of a queue, as far as they say something. */
export function relationshipsOf({ relationships }: Pick<FlowConnection, 'relationships'>): string {
  return relationships.join(', ');
}

export interface Bulletin {
  component: string;
  at: string;
  level: string;
  message: string;
}

/** The messages of all components, the newest first. */
export function bulletinsOf(flow: Flow): Bulletin[] {
  return flow.components.flatMap(({ name, bulletins }) => bulletins.map((bulletin) => ({ component: name, ...bulletin }))).sort((a, b) => b.at.localeCompare(a.at));
}

/** What a flow did in a minute, or holds now. */
export interface Sample {
  at: number;
  values: ReadonlyMap<string, readonly number[]>;
}

export const MINUTE = 60_000;

type Values = [string, readonly number[]];
const queuesOf = (of: FlowMinute): Values[] => Object.entries(of.queues).map(([name, { items, bytes }]) => [`q ${name}`, [items, bytes]]);
const componentsOf = (of: FlowMinute): Values[] => Object.entries(of.components).map(([name, it]) => [`c ${name}`, [it.items_in, it.items_out, it.tasks]]);

/** The minutes of a flow up to the present one: the server leaves out those in which nothing happened, and queues are then as before. */
export function minutesOf(minutes: readonly FlowMinute[], now: number): Sample[] {
  const samples: Sample[] = [];
  let queues: ReadonlyMap<string, readonly number[]> = new Map();
  const fill = (until: number) => {
    for (let at = (samples.at(-1)?.at ?? until) + MINUTE; at < until; at += MINUTE) samples.push({ at, values: queues });
  };
  for (const minute of minutes) {
    const at = Date.parse(minute.at);
    fill(at);
    queues = new Map(queuesOf(minute));
    samples.push({ at, values: new Map([...queues, ...componentsOf(minute)]) });
  }
  fill(now - (now % MINUTE));
  return samples;
}

/** The same, and what queues hold now. */
export function withPresent(samples: readonly Sample[], flow: Pick<Flow, 'connections'>, now: number): Sample[] {
  return [...samples, { at: now, values: new Map(flow.connections.map(({ name, items, bytes }) => [`q ${name}`, [items, bytes]])) }];
}

/** The points of a line over time in a box of one by one, the oldest at the left, and its largest value. */
export function lineOf(samples: readonly Sample[], key: string, index: number): { points: string; max: number; last: number } {
  const values = samples.map(({ at, values: all }) => [at, all.get(key)?.[index] ?? 0] as const);
  const max = Math.max(0, ...values.map(([, value]) => value));
  const [begin, end] = [values[0]?.[0] ?? 0, values.at(-1)?.[0] ?? 0];
  const x = (at: number) => (end > begin ? (at - begin) / (end - begin) : 1);
  return { points: values.map(([at, value]) => `${(x(at) * 100).toFixed(2)},${(30 - (max > 0 ? value / max : 0) * 28).toFixed(2)}`).join(' '), max, last: values.at(-1)?.[1] ?? 0 };
}
