SELECT count(*)
FROM (
    SELECT id
    FROM run FORCE INDEX (run_waiting)
    WHERE queue_name >= :from AND queue_name < :until AND queued_place IS NOT NULL
    LIMIT :limit) waiting
