-- Unfinished runs of a job in lines of short ones, also those that are executed: they may be tried again.
SELECT id, coalesce(queue, 'default')
FROM run
WHERE job_id = :job AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%~')
LIMIT :limit
