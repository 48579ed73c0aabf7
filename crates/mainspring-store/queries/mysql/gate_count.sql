-- Counts the unfinished runs of a job that gets a limit. Shards count with their run, and runs of backfills in their own limit.
SELECT CAST(COALESCE(SUM(held_place IS NULL), 0) AS SIGNED), COUNT(held_place)
FROM run
WHERE job_id = :job AND parent_run IS NULL AND origin <> 'backfill'
