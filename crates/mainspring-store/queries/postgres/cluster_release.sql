UPDATE shard SET owner = NULL, lease = NULL WHERE owner = $1 AND shard = ANY ($2) RETURNING shard
