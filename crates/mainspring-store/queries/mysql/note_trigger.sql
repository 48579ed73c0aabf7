REPLACE INTO trigger_change (shard, trigger_id) SELECT shard, id FROM trigger_state WHERE id = :trigger
