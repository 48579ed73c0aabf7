DELETE FROM tombstone WHERE deleted_at < :before LIMIT :limit
