DELETE FROM trigger_change WHERE shard = ANY ($1)
