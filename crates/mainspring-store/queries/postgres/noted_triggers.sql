SELECT seq, trigger_id FROM trigger_change WHERE shard = ANY (:shards) ORDER BY seq LIMIT :limit
