-- What waits in a worker's line, by job.
SELECT job_id, COUNT(*) FROM run WHERE routed_line = :line GROUP BY job_id
