-- Notes a trigger whose shard another process start owns. Whoever takes a free shard reads all of it anyway.
REPLACE INTO trigger_change (shard, trigger_id)
SELECT s.shard, s.id FROM trigger_state s JOIN shard h ON h.shard = s.shard WHERE s.id = :trigger AND h.owner <> :owner
