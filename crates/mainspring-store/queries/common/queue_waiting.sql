SELECT count(*)
FROM (
    SELECT id
    FROM run
    WHERE state = 'queued' AND coalesce(queue, 'default') = :line
    LIMIT :limit) waiting
