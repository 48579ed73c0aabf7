-- The next job, and version of it, of which runs wait in a line for a worker to be picked. Not every database looks up pairs in an
-- index.
SELECT job_id, job_version
FROM (
    SELECT job_id, job_version
    FROM run
    WHERE state = 'queued' AND queue LIKE '%/%' AND queue = :line AND job_id = :job AND job_version > :version
    ORDER BY job_version
    LIMIT 1) AS same_job
UNION ALL
SELECT job_id, job_version
FROM (
    SELECT job_id, job_version
    FROM run
    WHERE state = 'queued' AND queue LIKE '%/%' AND queue = :line AND job_id > :job
    ORDER BY job_id, job_version
    LIMIT 1) AS next_job
ORDER BY job_id, job_version
LIMIT 1
