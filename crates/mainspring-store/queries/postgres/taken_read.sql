-- The newest version of the row first: for as long as somebody has an old snapshot, those before it are there as well, and an index does not
-- tell them apart.
SELECT sequence, placed
FROM fire_batch
WHERE slot >= :slot AND slot <= :slot AND incarnation = :incarnation
ORDER BY slot DESC
LIMIT 1
FOR UPDATE
