/**
 * A layered layout (Sugiyama): longest-path layers, barycentre sweeps against crossings, and positions by least squares.
 * Pure, without recursion, and good for cycles: edges that close one are drawn straight, and count for nothing else.
 */

export interface LayoutRequest {
  /** Size of each node, along and across the direction of the edges. */
  along: readonly number[];
  across: readonly number[];
  edges: readonly (readonly [number, number])[];
  /** Room between layers; 56 when absent. */
  gap?: number;
}

export interface LayoutAnswer {
  /** Middle of each node. */
  along: number[];
  across: number[];
  /** Points that each edge passes between its ends: along and across by turns. */
  bends: number[][];
  length: number;
  breadth: number;
}

const GAP_ALONG = 56;
const GAP_ACROSS = 18;
/** Room across that an edge takes as it passes a layer. */
const LANE = 6;
const SWEEPS = 8;
const PASSES = 6;
/** Places in which long edges pass layers; beyond so many, edges are drawn straight. */
const LANES_MAX = 20_000;

interface Edge {
  from: number;
  to: number;
  index: number;
}

/** Nodes, and behind them the lanes of long edges: each goes from one layer to the next. */
interface Mesh {
  layer: number[];
  size: number[];
  up: number[][];
  down: number[][];
  /** Lanes of each edge, in its direction. */
  lanes: number[][];
}

export function layout(request: LayoutRequest): LayoutAnswer {
  const count = request.along.length;
  const forward = forwardEdges(count, request.edges);
  const mesh = meshOf(request, layersOf(count, forward), forward);
  const rows = ordered(mesh);
  return drawn(request, mesh, rows, placed(mesh, rows));
}

/** The edges without those that close a cycle, by a depth-first walk. */
function forwardEdges(count: number, edges: LayoutRequest['edges']): Edge[] {
  const all = edges.map(([from, to], index): Edge => ({ from, to, index }));
  const out: Edge[][] = Array.from({ length: count }, () => []);
  for (const edge of all) out[edge.from]?.push(edge);
  const state = new Array<'new' | 'open' | 'done'>(count).fill('new');
  const next = new Int32Array(count);
  const closing = new Set<number>();
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 'new') continue;
    const way = [root];
    state[root] = 'open';
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const edge = out[at]?.[next[at] ?? 0];
      next[at] = (next[at] ?? 0) + 1;
      if (!edge) {
        state[at] = 'done';
        way.pop();
      } else if (state[edge.to] === 'open') closing.add(edge.index);
      else if (state[edge.to] === 'new') {
        state[edge.to] = 'open';
        way.push(edge.to);
      }
    }
  }
  return all.filter(({ index }) => !closing.has(index));
}

/** The layer of each node: one more than the deepest that it needs. What needs nothing stands right before what needs it. */
function layersOf(count: number, edges: readonly Edge[]): number[] {
  const layer = new Array<number>(count).fill(0);
  const left = new Int32Array(count);
  const out: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    left[to] = (left[to] ?? 0) + 1;
    out[from]?.push(to);
  }
  const ready = [...left.keys()].filter((node) => left[node] === 0);
  const roots = [...ready];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const to of out[node] ?? []) {
      layer[to] = Math.max(layer[to] ?? 0, (layer[node] ?? 0) + 1);
      left[to] = (left[to] ?? 0) - 1;
      if (left[to] === 0) ready.push(to);
    }
  }
  for (const root of roots) {
    const nearest = (out[root] ?? []).reduce((least, to) => Math.min(least, layer[to] ?? 0), Number.POSITIVE_INFINITY);
    if (Number.isFinite(nearest)) layer[root] = nearest - 1;
  }
  return layer;
}

function meshOf({ across, edges }: LayoutRequest, layer: number[], forward: readonly Edge[]): Mesh {
  const count = layer.length;
  const mesh: Mesh = { layer, size: [...across], up: [], down: [], lanes: edges.map(() => []) };
  for (let node = 0; node < count; node += 1) {
    mesh.up.push([]);
    mesh.down.push([]);
  }
  const join = (from: number, to: number) => {
    mesh.down[from]?.push(to);
    mesh.up[to]?.push(from);
  };
  for (const { from, to, index } of forward) {
    const first = (layer[from] ?? 0) + 1;
    const last = (layer[to] ?? 0) - 1;
    if (mesh.size.length - count + Math.max(0, last - first + 1) > LANES_MAX) continue;
    let before = from;
    for (let passed = first; passed <= last; passed += 1) {
      const lane = mesh.size.length;
      mesh.size.push(LANE);
      mesh.layer.push(passed);
      mesh.up.push([]);
      mesh.down.push([]);
      mesh.lanes[index]?.push(lane);
      join(before, lane);
      before = lane;
    }
    join(before, to);
  }
  return mesh;
}

/** The nodes of each layer in an order with few crossings. */
function ordered({ layer, up, down }: Mesh): number[][] {
  const rows: number[][] = [];
  for (const [node, at] of layer.entries()) (rows[at] ??= []).push(node);
  const place = new Float64Array(layer.length);
  const note = (row: readonly number[]) => row.forEach((node, index) => (place[node] = (index + 0.5) / row.length));
  for (const row of rows) note(row);
  const wish = new Float64Array(layer.length);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      for (const node of row) wish[node] = mean((isDown ? up : down)[node] ?? [], place) ?? (place[node] as number);
      row.sort((a, b) => (wish[a] as number) - (wish[b] as number));
      note(row);
    }
  }
  return rows;
}

function mean(nodes: readonly number[], of: Float64Array): number | undefined {
  if (nodes.length === 0) return undefined;
  let sum = 0;
  for (const node of nodes) sum += of[node] as number;
  return sum / nodes.length;
}

/** The middle of each node across: near its neighbours, in its row's order, without overlap. */
function placed({ size, up, down }: Mesh, rows: readonly number[][]): Float64Array {
  const middle = new Float64Array(size.length);
  for (const row of rows) settle(row, row.map(() => 0), size, middle);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const isDown = pass % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const wishes = row.map((node) => {
        const near = pass === PASSES - 1 ? [...(up[node] ?? []), ...(down[node] ?? [])] : ((isDown ? up : down)[node] ?? []);
        return mean(near, middle) ?? (middle[node] as number);
      });
      settle(row, wishes, size, middle);
    }
  }
  return middle;
}

/** Puts a row as near to its wishes as its order and sizes allow: a monotone regression over the wishes less what lies before each. */
function settle(row: readonly number[], wishes: readonly number[], size: readonly number[], middle: Float64Array): void {
  const offsets: number[] = [];
  const blocks: { sum: number; count: number }[] = [];
  let offset = 0;
  for (const [index, node] of row.entries()) {
    const before = row[index - 1];
    if (before !== undefined) offset += ((size[before] ?? 0) + (size[node] ?? 0)) / 2 + GAP_ACROSS;
    offsets.push(offset);
    let block = { sum: (wishes[index] ?? 0) - offset, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  let index = 0;
  for (const { sum, count } of blocks) {
    for (let end = index + count; index < end; index += 1) middle[row[index] as number] = sum / count + (offsets[index] ?? 0);
  }
}

function drawn({ along, across, edges, gap = GAP_ALONG }: LayoutRequest, { layer, lanes, size }: Mesh, rows: readonly number[][], middle: Float64Array): LayoutAnswer {
  const count = along.length;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (const [node, at] of middle.entries()) {
    top = Math.min(top, at - (size[node] ?? 0) / 2);
    bottom = Math.max(bottom, at + (size[node] ?? 0) / 2);
  }
  const begins: number[] = [];
  const widths: number[] = [];
  let length = 0;
  for (const row of rows) {
    const width = row.reduce((most, node) => Math.max(most, along[node] ?? 0), 0);
    begins.push(length);
    widths.push(width);
    length += width + gap;
  }
  const layerOf = (node: number) => layer[node] ?? 0;
  return {
    along: Array.from({ length: count }, (_, node) => (begins[layerOf(node)] ?? 0) + (widths[layerOf(node)] ?? 0) / 2),
    across: Array.from({ length: count }, (_, node) => (middle[node] as number) - top),
    bends: edges.map((_, index) =>
      (lanes[index] ?? []).flatMap((lane) => {
        const begin = begins[layerOf(lane)] ?? 0;
        const at = (middle[lane] as number) - top;
        return [begin, at, begin + (widths[layerOf(lane)] ?? 0), at];
      }),
    ),
    length: Math.max(0, length - gap),
    breadth: across.length === 0 ? 0 : bottom - top,
  };
}
