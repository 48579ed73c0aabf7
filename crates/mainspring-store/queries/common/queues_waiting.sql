WITH RECURSIVE waiting (name) AS (
    SELECT (SELECT coalesce(queue, 'default') FROM run WHERE state = 'queued' ORDER BY coalesce(queue, 'default') LIMIT 1)
    UNION ALL
    SELECT (
        SELECT coalesce(r.queue, 'default')
        FROM run r
        WHERE r.state = 'queued' AND coalesce(r.queue, 'default') > w.name
        ORDER BY coalesce(r.queue, 'default')
        LIMIT 1)
    FROM waiting w
    WHERE w.name IS NOT NULL
)
SELECT name FROM waiting WHERE name IS NOT NULL
