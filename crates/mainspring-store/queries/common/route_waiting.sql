-- What waits in the lines of workers, by job.
SELECT queue, job_id, COUNT(*) FROM run WHERE state = 'queued' AND queue LIKE '%/%' GROUP BY queue, job_id
