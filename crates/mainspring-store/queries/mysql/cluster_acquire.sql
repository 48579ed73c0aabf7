-- Locks the node's row and notes the change; if there is none, or a newer change has been made, nothing is taken.
UPDATE node SET "change" = :number WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND "change" < :number;
SET @changed = ROW_COUNT();
UPDATE shard SET owner = (SELECT number FROM incarnation WHERE id = :id), lease = :lease, epoch = epoch + 1
WHERE @changed = 1 AND owner IS NULL AND SUBSTRING(:shards, shard + 1, 1) = '1'
