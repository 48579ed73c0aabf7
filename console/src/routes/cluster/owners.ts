/** Which colour stands for which owner of shards. Pure. */
import type { components } from '@/api/schema';

type Shard = components['schemas']['Shard'];
type Node = components['schemas']['Node'];

/** Colours that are told apart; more nodes share them. */
export const COLOURS = 8;

/** Numbers owners by their name, so that a colour stays with its node. */
export function colourOf(nodes: readonly Pick<Node, 'id' | 'name'>[]): Map<string, number> {
  const sorted = [...nodes].sort((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1));
  return new Map(sorted.map((node, index) => [node.id, index % COLOURS]));
}

export function unowned(shards: readonly Pick<Shard, 'owner'>[]): number {
  return shards.filter((shard) => !shard.owner).length;
}
