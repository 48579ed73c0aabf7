INSERT INTO trigger_change (shard, trigger_id) SELECT shard, id FROM trigger_state WHERE id = :trigger
ON CONFLICT (trigger_id) DO UPDATE SET seq = excluded.seq
