-- Runs that wait beside those of short jobs, though theirs is one.
SELECT id, queue
FROM run FORCE INDEX (run_routed)
WHERE routed_line = CONCAT('#', :line) AND job_id = :job
LIMIT :limit
