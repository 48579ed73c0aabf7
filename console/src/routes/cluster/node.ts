/** What is known of one node. Pure. */
import type { Cluster, Node, ShardMove } from './queries';

/** A node renews every second: one that was not heard for this long may be gone. */
export const SILENT_MS = 3000;

/** Processes of one name, the one that was heard last first: for some seconds after a restart there may be two. */
export function nodesNamed(nodes: readonly Node[], name: string): Node[] {
  return nodes.filter((node) => node.name === name).sort((a, b) => (a.silent_ms ?? 0) - (b.silent_ms ?? 0));
}

/** How it stands: as it says itself, unless it is silent, or gone. */
export function standingOf(node: Pick<Node, 'state' | 'silent_ms'> | undefined): Node['state'] | 'silent' | 'gone' {
  if (!node) return 'gone';
  return (node.silent_ms ?? 0) > SILENT_MS ? 'silent' : node.state;
}

export type Role = 'fires' | 'executes' | 'serves';

/** What it does in the cluster. Whether another node than the one that answers executes runs, only that node knows. */
export function rolesOf(node: Pick<Node, 'state' | 'shards' | 'slots'>): Role[] {
  return [...(node.shards > 0 ? (['fires'] as const) : []), ...((node.slots ?? 0) > 0 && node.state !== 'draining' ? (['executes'] as const) : []), 'serves'];
}

export interface NodeMove {
  key: string;
  at: string;
  /** `again`: it started anew, and has its own shards back. */
  kind: 'took' | 'gave' | 'again';
  /** The other node; absent where nobody knows. */
  other: string | undefined;
  shards: readonly number[];
  unowned_ms: number;
}

/** The moves to and from a node, in the order that they have. */
export function movesOf(moves: readonly ShardMove[], name: string): NodeMove[] {
  return moves
    .filter(({ from, to }) => from === name || to === name)
    .map(({ at, from, to, shards, unowned_ms }) => {
      const kind = from === to ? 'again' : to === name ? 'took' : 'gave';
      const other = kind === 'took' ? (from ?? undefined) : kind === 'gave' ? to : undefined;
      return { key: `${at} ${from ?? ''} ${to}`, at, kind, other, shards, unowned_ms };
    });
}

/** Numbers as ranges: `0–3, 7, 9–10`. They come in order. */
export function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? String(from) : to === from + 1 ? `${from}, ${to}` : `${from}–${to}`)).join(', ');
}

/** The numbers of the shards that belong to one of some processes. */
export function shardsOf(cluster: Pick<Cluster, 'shards'>, ids: readonly string[]): number[] {
  return cluster.shards.filter(({ owner }) => owner && ids.includes(owner)).map(({ number }) => number);
}
