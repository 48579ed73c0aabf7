UPDATE shard SET owner = :owner, lease = :lease, epoch = epoch + 1
WHERE owner IS NULL AND SUBSTRING(:shards, shard + 1, 1) = '1'
