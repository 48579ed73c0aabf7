UPDATE shard SET owner = NULL, lease = NULL WHERE owner = :owner AND SUBSTRING(:shards, shard + 1, 1) = '1'
