SELECT count(*)
FROM (
    SELECT id
    FROM run FORCE INDEX (run_waiting)
    WHERE queue_name = :line AND queued_place IS NOT NULL
    LIMIT :limit) waiting
