DELETE FROM tombstone
WHERE trigger_id IN (SELECT trigger_id FROM tombstone WHERE deleted_at < :before LIMIT :limit)
