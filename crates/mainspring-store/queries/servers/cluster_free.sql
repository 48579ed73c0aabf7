UPDATE shard SET owner = NULL, lease = NULL WHERE owner = :incarnation
