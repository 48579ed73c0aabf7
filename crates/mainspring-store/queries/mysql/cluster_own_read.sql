SELECT shard FROM shard WHERE owner = :owner AND SUBSTRING(:shards, shard + 1, 1) = '1' FOR UPDATE
