SELECT count(*)
FROM (
    SELECT id
    FROM run FORCE INDEX (run_waiting)
    WHERE queued_line = :line
    LIMIT :limit) waiting
