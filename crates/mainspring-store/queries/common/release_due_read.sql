SELECT id, job_id FROM run WHERE state = 'scheduled' AND not_before <= :at ORDER BY not_before, id LIMIT :limit
