-- Counts the unfinished runs of a job that gets a limit.
SELECT COALESCE(SUM(state <> 'held'), 0), COALESCE(SUM(state = 'held'), 0) FROM run WHERE job_id = :job
