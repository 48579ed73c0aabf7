-- Counts the unfinished runs of a job that gets a limit. Shards count with their run, and runs of backfills in their own limit.
SELECT COALESCE(SUM(CASE WHEN state <> 'held' THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN state = 'held' THEN 1 ELSE 0 END), 0)
FROM run
WHERE job_id = :job AND parent_run IS NULL AND origin <> 'backfill'
