-- The next job, and version of it, of which runs wait in a line for a worker to be picked.
SELECT job_id, job_version
FROM run
WHERE state = 'queued' AND queue LIKE '%/%' AND queue = :line AND (job_id, job_version) > (:job, :version)
ORDER BY job_id, job_version
LIMIT 1
