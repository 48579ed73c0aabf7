-- What waits in the lines of workers, by job.
SELECT routed_line, job_id, COUNT(*) FROM run WHERE routed_line IS NOT NULL GROUP BY routed_line, job_id
