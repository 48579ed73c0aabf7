/** The tasks of a workflow as a graph. Pure. */
import type { components } from '@/api/schema';

export type TaskSpec = components['schemas']['TaskSpec'];
type Elsewhere = components['schemas']['ElsewhereSpec'];

export interface TaskNode {
  name: string;
  spec: TaskSpec;
  /** The kind of work, in the word of the job file. */
  kind: string;
  /** Runs of a matrix; absent where it has none, or they are known only while it runs. */
  times: number | undefined;
}

export interface TaskGraph {
  nodes: readonly TaskNode[];
  /** From a task to one that needs it, by index. Names that no task has lead nowhere. */
  edges: readonly (readonly [number, number])[];
  up: readonly (readonly number[])[];
  down: readonly (readonly number[])[];
}

/** What a task needs, by the names of nodes: a task of another workflow has one of its own, as the server calls it. */
export function needsOf(spec: TaskSpec): string[] {
  return [spec.needs ?? []].flat().map((need) => (typeof need === 'string' ? need : nodeOf(need)));
}

function nodeOf({ workflow, task, at, offset }: Elsewhere): string {
  const sign = offset === undefined || offset === null || /^[-+]/.test(offset) ? '' : '+';
  return `${workflow}${task ? `:${task}` : ''}@${offset ? `${sign}${offset}` : (at ?? 'same')}`;
}

/** A task as far as it can be read: what is being written may be anything. */
function readTask(given: unknown): TaskSpec {
  if (typeof given !== 'object' || given === null) return {};
  const from = given as Record<string, unknown>;
  const words = (value: unknown) => [value ?? []].flat().filter((word): word is string => typeof word === 'string');
  const needs = [from.needs ?? []].flat().filter((need) => typeof need === 'string' || isElsewhere(need));
  const out: Record<string, unknown> = { needs, outputs: words(from.outputs) };
  for (const key of ['run', 'handler', 'description', 'trigger_rule', 'if', 'map', 'timeout', 'queue']) if (typeof from[key] === 'string') out[key] = from[key];
  for (const key of ['retries', 'max_parallel']) if (typeof from[key] === 'number' || typeof from[key] === 'bigint') out[key] = Number(from[key]);
  for (const key of ['noop', 'finally', 'continue_on_error']) if (from[key] === true) out[key] = true;
  if (Array.isArray(from.exec)) out.exec = from.exec.map(String);
  if (typeof from.http === 'object' && from.http !== null) {
    const { method, url } = from.http as Record<string, unknown>;
    out.http = { method: typeof method === 'string' ? method : 'GET', url: String(url ?? '') };
  }
  if (typeof from.matrix === 'object' && from.matrix !== null) out.matrix = from.matrix;
  return out as TaskSpec;
}

/** Whether what a task needs is of another workflow, and can be read. */
function isElsewhere(need: unknown): need is Elsewhere {
  if (typeof need !== 'object' || need === null) return false;
  const { workflow, task, at, offset } = need as Record<string, unknown>;
  return typeof workflow === 'string' && [task, at, offset].every((it) => it === undefined || it === null || typeof it === 'string');
}

/** What a task does, in the word of the job file. */
function kindOf(given: unknown): string {
  const from = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  // What stands for a group is written by nobody.
  if (from.joins === true) return 'group';
  return ['run', 'exec', 'script', 'http', 'handler', 'wait', 'approval'].find((kind) => from[kind] !== undefined && from[kind] !== null) ?? 'noop';
}

function timesOf(spec: TaskSpec): number | undefined {
  const lists = Object.values(spec.matrix ?? {});
  return lists.length === 0 ? undefined : lists.reduce((product, list) => product * (Array.isArray(list) ? list.length : 1), 1);
}

export function graphOf(tasks: Record<string, unknown>): TaskGraph {
  const nodes = Object.entries(tasks).map(([name, given]): TaskNode => {
    const spec = readTask(given);
    return { name, spec, kind: kindOf(given), times: timesOf(spec) };
  });
  // A run has tasks for what its tasks need of other workflows; the file has none.
  const known = new Map(nodes.map((node) => [node.name, node]));
  for (const need of nodes.flatMap(({ spec }) => [spec.needs ?? []].flat())) {
    if (typeof need === 'string') continue;
    const name = nodeOf(need);
    const there = known.get(name);
    if (there) there.kind = 'external';
    else {
      const node: TaskNode = { name, spec: { description: need.workflow }, kind: 'external', times: undefined };
      known.set(name, node);
      nodes.push(node);
    }
  }
  const index = new Map(nodes.map(({ name }, at) => [name, at]));
  const edges: [number, number][] = [];
  const up: number[][] = nodes.map(() => []);
  const down: number[][] = nodes.map(() => []);
  for (const [at, node] of nodes.entries()) {
    for (const name of new Set(needsOf(node.spec))) {
      const from = index.get(name);
      if (from === undefined) continue;
      edges.push([from, at]);
      up[at]?.push(from);
      down[from]?.push(at);
    }
  }
  return { nodes, edges, up, down };
}

/** Indices of the tasks, each after all that it needs, those that wait for as many others beside each other. What goes in a circle comes last. */
export function inOrder({ nodes, up, down }: TaskGraph): number[] {
  const left = up.map((needs) => needs.length);
  const order: number[] = [];
  let wave = [...nodes.keys()].filter((at) => left[at] === 0);
  while (wave.length > 0) {
    order.push(...wave);
    const next: number[] = [];
    for (const at of wave) {
      for (const to of down[at] ?? []) {
        left[to] = (left[to] ?? 0) - 1;
        if (left[to] === 0) next.push(to);
      }
    }
    wave = next;
  }
  const placed = new Set(order);
  return [...order, ...[...nodes.keys()].filter((at) => !placed.has(at))];
}

/** A part of the graph around tasks: `+load` with all that it needs, `load+` with all that need it, `2+load+1` as far as that. */
const FOCUS = /^(\d*)(\+?)([^+]*)(\+?)(\d*)$/;

/** Indices of the tasks that a focus names, with their neighbourhood; all of them where it is empty. */
export function focused(graph: TaskGraph, focus: string): Set<number> {
  const all = new Set(graph.nodes.keys());
  const [, up = '', plusUp, name = '', plusDown, down = ''] = FOCUS.exec(focus.trim()) ?? [];
  if (name.trim() === '') return all;
  const wanted = name.trim().toLowerCase();
  const exact = [...all].filter((at) => graph.nodes[at]?.name.toLowerCase() === wanted);
  const begin = exact.length > 0 ? exact : [...all].filter((at) => graph.nodes[at]?.name.toLowerCase().includes(wanted));
  const found = new Set(begin);
  if (plusUp) reach(begin, graph.up, up === '' ? Number.POSITIVE_INFINITY : Number(up), found);
  if (plusDown) reach(begin, graph.down, down === '' ? Number.POSITIVE_INFINITY : Number(down), found);
  return found;
}

function reach(begin: readonly number[], next: readonly (readonly number[])[], steps: number, found: Set<number>): void {
  const seen = new Set(begin);
  let edge = [...begin];
  for (let step = 0; step < steps && edge.length > 0; step += 1) {
    const further = [];
    for (const at of edge) {
      for (const to of next[at] ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        found.add(to);
        further.push(to);
      }
    }
    edge = further;
  }
}

/** Writes the graph for Mermaid. */
export function mermaid({ nodes, edges }: TaskGraph): string {
  const label = (name: string) => `["${name.replaceAll('"', '#quot;')}"]`;
  return ['flowchart LR', ...nodes.map(({ name }, at) => `  t${at}${label(name)}`), ...edges.map(([from, to]) => `  t${from} --> t${to}`), ''].join('\n');
}
