SELECT run_id FROM deadline_miss WHERE told_at IS NULL ORDER BY run_id LIMIT :limit
