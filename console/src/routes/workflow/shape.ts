/** Sizes and lines of a drawn graph. Pure. */
import type { LayoutAnswer, LayoutRequest } from './layout';

export type Direction = 'LR' | 'TB';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const NODE_HEIGHT = 40;
/** Pixels of a letter, and of what stands beside a label. */
const PLACE = 7.6;
const BESIDE = 44;
/** How far an edge that goes back reaches out. */
const ROUND = 36;
/** At the first look, labels can be read. */
const FIRST_SCALE = 0.6;

/** Room for a label beside its glyph: letters of Chinese take two places. */
export function widthOf(label: string): number {
  let places = 0;
  for (const letter of label) places += (letter.codePointAt(0) ?? 0) > 0x2e80 ? 2 : 1;
  return Math.round(Math.min(240, Math.max(124, places * PLACE + BESIDE + 6)));
}

/** The part of a label that has room. */
export function cut(label: string, width: number): string {
  const most = Math.floor((width - BESIDE) / PLACE);
  return label.length > most ? `${label.slice(0, Math.max(1, most - 1))}…` : label;
}

export function requestOf(labels: readonly string[], edges: LayoutRequest['edges'], direction: Direction): LayoutRequest {
  const widths = labels.map(widthOf);
  const heights = labels.map(() => NODE_HEIGHT);
  return direction === 'LR' ? { along: widths, across: heights, edges } : { along: heights, across: widths, edges };
}

export function boxOf(node: number, request: LayoutRequest, answer: LayoutAnswer, direction: Direction): Box {
  const along = request.along[node] ?? 0;
  const across = request.across[node] ?? 0;
  const begin = (answer.along[node] ?? 0) - along / 2;
  const top = (answer.across[node] ?? 0) - across / 2;
  return direction === 'LR' ? { x: begin, y: top, width: along, height: across } : { x: top, y: begin, width: across, height: along };
}

/** The line of an edge: level where it passes a layer, curved between. */
export function pathOf(index: number, request: LayoutRequest, answer: LayoutAnswer, direction: Direction): string {
  const [from, to] = request.edges[index] ?? [0, 0];
  const points = [
    (answer.along[from] ?? 0) + (request.along[from] ?? 0) / 2,
    answer.across[from] ?? 0,
    ...(answer.bends[index] ?? []),
    (answer.along[to] ?? 0) - (request.along[to] ?? 0) / 2,
    answer.across[to] ?? 0,
  ];
  const write = (along: number, across: number) => (direction === 'LR' ? `${along.toFixed(1)} ${across.toFixed(1)}` : `${across.toFixed(1)} ${along.toFixed(1)}`);
  const [begin = 0, side = 0] = points;
  const [end = 0, other = 0] = points.slice(-2);
  if (end < begin) {
    // It closes a circle, and goes round below both.
    const low = Math.max(side + (request.across[from] ?? 0) / 2, other + (request.across[to] ?? 0) / 2) + ROUND / 2;
    return `M${write(begin, side)}C${write(begin + ROUND, side)} ${write(begin + ROUND, low)} ${write(begin, low)}L${write(end, low)}C${write(end - ROUND, low)} ${write(end - ROUND, other)} ${write(end, other)}`;
  }
  let path = `M${write(begin, side)}`;
  for (let at = 2; at < points.length; at += 2) {
    const [along0 = 0, across0 = 0, along = 0, across = 0] = points.slice(at - 2, at + 2);
    if (Math.abs(across - across0) < 0.5) path += `L${write(along, across)}`;
    else {
      const middle = (along0 + along) / 2;
      path += `C${write(middle, across0)} ${write(middle, across)} ${write(along, across)}`;
    }
  }
  return path;
}

export interface View {
  x: number;
  y: number;
  scale: number;
}

/** Shows all of a drawing, and small ones no larger than they are. */
export function fit(width: number, height: number, window: { width: number; height: number }): View {
  const scale = Math.min(1, (window.width - 32) / Math.max(1, width), (window.height - 32) / Math.max(1, height));
  const at = Number.isFinite(scale) && scale > 0 ? scale : 1;
  return { x: (window.width - width * at) / 2, y: (window.height - height * at) / 2, scale: at };
}

/** The first look at a drawing: all of it, or its beginning where all would be too small to read. */
export function first(width: number, height: number, window: { width: number; height: number }, least = FIRST_SCALE): View {
  const all = fit(width, height, window);
  if (all.scale >= least) return all;
  const centred = (size: number, room: number) => Math.max(16, (room - size * least) / 2);
  return { scale: least, x: centred(width, window.width), y: centred(height, window.height) };
}

/** Tells whether all of a drawing is seen. */
export function isWhole(width: number, height: number, window: { width: number; height: number }, { x, y, scale }: View): boolean {
  const slack = 2;
  return x >= -slack && y >= -slack && x + width * scale <= window.width + slack && y + height * scale <= window.height + slack;
}

export function zoomed(view: View, factor: number, x: number, y: number): View {
  const scale = Math.min(3, Math.max(0.02, view.scale * factor));
  const by = scale / view.scale;
  return { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
}

/** Moves the view as little as needed to show a box. */
export function shown(view: View, box: Box, window: { width: number; height: number }): View {
  const margin = 24;
  const shift = (begin: number, size: number, room: number) => {
    if (begin < margin) return margin - begin;
    return begin + size > room - margin ? room - margin - begin - size : 0;
  };
  return {
    ...view,
    x: view.x + shift(view.x + box.x * view.scale, box.width * view.scale, window.width),
    y: view.y + shift(view.y + box.y * view.scale, box.height * view.scale, window.height),
  };
}

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** Where an arrow key leads: along the edges, or to the neighbour in the same layer. */
export function neighbour(node: number, arrow: Arrow, answer: LayoutAnswer, edges: LayoutRequest['edges'], direction: Direction): number | undefined {
  const turned = direction === 'LR' ? arrow : ({ ArrowLeft: 'ArrowUp', ArrowRight: 'ArrowDown', ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' } as const)[arrow];
  const at = answer.across[node] ?? 0;
  const nearest = (nodes: readonly number[], distance: (other: number) => number) => nodes.reduce<number | undefined>((best, other) => (best === undefined || distance(other) < distance(best) ? other : best), undefined);
  if (turned === 'ArrowRight' || turned === 'ArrowLeft') {
    const next = edges.flatMap(([from, to]) => (turned === 'ArrowRight' ? (from === node ? [to] : []) : to === node ? [from] : []));
    // A neighbour in the next layer comes before one that is level but far.
    return nearest(next, (other) => Math.abs((answer.across[other] ?? 0) - at) + Math.abs((answer.along[other] ?? 0) - (answer.along[node] ?? 0)));
  }
  const side = turned === 'ArrowDown' ? 1 : -1;
  const row = answer.along.flatMap((along, other) => (other !== node && Math.abs(along - (answer.along[node] ?? 0)) < 0.5 && ((answer.across[other] ?? 0) - at) * side > 0 ? [other] : []));
  return nearest(row, (other) => Math.abs((answer.across[other] ?? 0) - at));
}
