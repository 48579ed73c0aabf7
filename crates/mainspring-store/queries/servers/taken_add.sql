-- Fails where another transaction has added it meanwhile.
INSERT INTO fire_batch (sequence, placed, slot, incarnation, stale, blocked)
VALUES (:sequence, :taken, :slot, :incarnation, '', '')
