-- The answer to a batch, or to a newer one that has taken its place.
SELECT sequence, stale, blocked, placed
FROM fire_batch
WHERE slot = :slot AND incarnation = :incarnation AND sequence >= :sequence
