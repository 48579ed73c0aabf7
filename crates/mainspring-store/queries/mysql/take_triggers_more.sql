SELECT 1 FROM trigger_change WHERE SUBSTRING(:shards, shard + 1, 1) = '1' LIMIT 1
