-- Locks the node's row and notes the change; if there is none, or a newer change has been made, nothing is freed.
WITH changed AS (
    UPDATE node SET change = :number WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND change < :number
    RETURNING incarnation)
UPDATE shard SET owner = NULL, lease = NULL
FROM changed
WHERE owner = changed.incarnation AND SUBSTRING(:shards, shard + 1, 1) = '1'
RETURNING shard
