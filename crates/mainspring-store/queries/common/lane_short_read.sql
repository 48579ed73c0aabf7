-- Runs that wait beside those of short jobs, though theirs is one.
SELECT id, queue
FROM run
WHERE state = 'queued' AND queue LIKE '%#%' AND queue = :line AND job_id = :job
LIMIT :limit
