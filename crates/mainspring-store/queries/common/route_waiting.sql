-- What waits in a worker's line, by job.
SELECT job_id, COUNT(*) FROM run WHERE state = 'queued' AND queue LIKE '%/%' AND queue = :line GROUP BY job_id
