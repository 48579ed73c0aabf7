SELECT shard FROM shard WHERE owner IS NULL AND SUBSTRING(:shards, shard + 1, 1) = '1' FOR UPDATE
