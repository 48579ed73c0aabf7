-- Replaces what another process start has left there.
INSERT OR REPLACE INTO fire_batch (sequence, placed, slot, incarnation, stale, blocked)
VALUES (:sequence, :taken, :slot, :incarnation, X'', X'')
