-- The first of the lines in which runs wait. DISTINCT reads all runs, so each is asked for.
SELECT queue_name FROM run FORCE INDEX (run_waiting) WHERE queued_place IS NOT NULL ORDER BY queue_name LIMIT 1
