-- Runs that wait, and have waited for too long.
SELECT id, job_id, attempt FROM run WHERE expires_at <= :at AND state <> 'running' ORDER BY expires_at, id LIMIT :limit
