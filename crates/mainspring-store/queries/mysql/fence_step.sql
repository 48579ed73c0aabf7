-- Whoever was told of more batches than are counted here was told by a database that is gone.
UPDATE fence SET seq = seq + 1 WHERE incarnation = :incarnation AND seq >= :answered
