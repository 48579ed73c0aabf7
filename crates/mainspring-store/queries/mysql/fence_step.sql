-- Whoever was told of more batches than are counted here was told by a database that is gone. Only the row is locked: see fence_share.
UPDATE fence FORCE INDEX (PRIMARY) SET seq = seq + 1 WHERE incarnation = :incarnation AND seq >= :answered
