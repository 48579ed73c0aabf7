-- The first of the lines in which runs wait. DISTINCT reads all runs, so each is asked for.
SELECT queued_line FROM run FORCE INDEX (run_waiting) WHERE queued_line IS NOT NULL ORDER BY queued_line LIMIT 1
