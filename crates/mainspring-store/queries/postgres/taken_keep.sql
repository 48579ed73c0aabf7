-- The row is locked since taken_read, which says why it is looked for like this.
UPDATE fire_batch
SET sequence = :sequence, placed = :taken
WHERE ctid = (
    SELECT ctid
    FROM fire_batch
    WHERE slot >= :slot AND slot <= :slot AND incarnation = :incarnation
    ORDER BY slot DESC
    LIMIT 1)
