UPDATE shard SET owner = $1, lease = $2, epoch = epoch + 1 WHERE owner IS NULL AND shard = ANY ($3) RETURNING shard
