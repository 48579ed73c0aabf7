-- Final runs of the tasks of a workflow's run. Their ids are in a range.
SELECT r.id
FROM history r
WHERE r.id >= :from AND r.id <= :to AND r.parent_run = :run
ORDER BY r.id
LIMIT :limit
