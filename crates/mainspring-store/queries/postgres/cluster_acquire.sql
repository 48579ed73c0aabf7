-- Locks the node's row and notes the change; if there is none, or a newer change has been made, nothing is taken.
WITH changed AS (
    UPDATE node SET change = :number WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND change < :number
    RETURNING incarnation)
UPDATE shard SET owner = changed.incarnation, lease = :lease, epoch = epoch + 1
FROM changed
WHERE owner IS NULL AND SUBSTRING(:shards, shard + 1, 1) = '1'
