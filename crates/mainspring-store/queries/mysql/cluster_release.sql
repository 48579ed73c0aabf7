-- Locks the node's row and notes the change; if there is none, or a newer change has been made, nothing is freed.
UPDATE node SET "change" = :number WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND "change" < :number;
SET @changed = ROW_COUNT();
SELECT shard FROM shard
WHERE @changed = 1 AND owner = (SELECT number FROM incarnation WHERE id = :id) AND SUBSTRING(:shards, shard + 1, 1) = '1' FOR UPDATE;
UPDATE shard SET owner = NULL, lease = NULL
WHERE @changed = 1 AND owner = (SELECT number FROM incarnation WHERE id = :id) AND SUBSTRING(:shards, shard + 1, 1) = '1'
