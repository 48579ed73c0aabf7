SELECT count(*)
FROM (
    SELECT id
    FROM run
    WHERE state = 'queued' AND coalesce(queue, 'default') >= :from AND coalesce(queue, 'default') < :until
    LIMIT :limit) waiting
