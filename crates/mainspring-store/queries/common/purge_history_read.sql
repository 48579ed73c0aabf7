-- A run ends after the instant in its id, so ids bound the search. How a run ends is seen from its shards, and the runs
-- of its tasks go with it.
SELECT id
FROM history
WHERE id < :below AND ended_at < :before AND (SELECT r.id FROM run r WHERE r.id = history.parent_run) IS NULL
    AND (task IS NULL OR (SELECT p.id FROM history p WHERE p.id = history.parent_run) IS NULL)
ORDER BY id
LIMIT :limit
