-- Runs that wait, and have waited for too long.
SELECT id, job_id, attempt FROM run WHERE expiry_at <= :at ORDER BY expiry_at, id LIMIT :limit
