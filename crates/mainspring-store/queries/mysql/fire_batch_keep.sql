INSERT INTO fire_batch (slot, incarnation, sequence, stale, blocked, placed)
VALUES (:slot, :incarnation, :sequence, :stale, :blocked, :placed)
ON DUPLICATE KEY UPDATE sequence = VALUES(sequence), stale = VALUES(stale), blocked = VALUES(blocked),
    placed = VALUES(placed)
