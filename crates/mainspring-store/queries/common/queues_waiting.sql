WITH RECURSIVE waiting (name) AS (
    SELECT min(coalesce(queue, 'default')) FROM run WHERE state = 'queued'
    UNION ALL
    SELECT (SELECT min(coalesce(r.queue, 'default')) FROM run r WHERE r.state = 'queued' AND coalesce(r.queue, 'default') > w.name)
    FROM waiting w
    WHERE w.name IS NOT NULL
)
SELECT name FROM waiting WHERE name IS NOT NULL
