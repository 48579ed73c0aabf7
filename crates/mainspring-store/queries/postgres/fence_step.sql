-- Whoever was told of more batches than are counted here was told by a database that is gone. The row is locked since fence_lock, and looked for
-- as taken_read says.
UPDATE fence
SET seq = seq + 1
WHERE ctid = (
    SELECT ctid
    FROM fence
    WHERE incarnation >= :incarnation AND incarnation <= :incarnation
    ORDER BY incarnation DESC
    LIMIT 1) AND seq >= :answered
