INSERT INTO fire_batch (slot, incarnation, sequence, stale, blocked, placed)
VALUES (:slot, :incarnation, :sequence, :stale, :blocked, :placed)
ON CONFLICT (incarnation, slot) DO UPDATE SET sequence = excluded.sequence, stale = excluded.stale,
    blocked = excluded.blocked, placed = excluded.placed
