SELECT 1 FROM trigger_change WHERE shard = ANY (:shards) LIMIT 1
