SELECT id, job_id FROM run WHERE scheduled_at <= :at ORDER BY scheduled_at, id LIMIT :limit
