import { useFormats, useT } from '@/i18n';
import css from './Cluster.module.css';
import type { Cluster } from './queries';

/** Every shard as a square of the colour of its owner. `of` is the node whose shards stand out. */
export function ShardGrid({ shards, colours, of }: { shards: Cluster['shards']; colours: Map<string, number>; of?: readonly string[] }) {
  const t = useT();
  const formats = useFormats();
  return (
    <ol className={css.shards} aria-label={t.cluster.shards}>
      {shards.map((shard) => {
        const owner = shard.node ?? (shard.owner ? shard.owner.slice(0, 8) : t.cluster.nobody);
        const epoch = typeof shard.epoch === 'number' ? ` · ${t.cluster.epoch(formats.number(shard.epoch))}` : '';
        const isOther = of !== undefined && !(shard.owner && of.includes(shard.owner));
        return <li key={shard.number} data-colour={shard.owner ? (colours.get(shard.owner) ?? 'other') : undefined} data-dim={isOther || undefined} title={t.cluster.shardLabel(String(shard.number), owner) + epoch} />;
      })}
    </ol>
  );
}
