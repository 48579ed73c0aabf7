-- The lines in which runs wait, and their first places: from the beginning of each, past all that the server keeps there of runs that do not
-- wait any more.
WITH RECURSIVE waiting (line, place) AS (
    (SELECT coalesce(queue, 'default'), due_at - priority * 60000
    FROM run
    WHERE state = 'queued'
    ORDER BY coalesce(queue, 'default'), due_at - priority * 60000, due_at, id
    LIMIT 1)
    UNION ALL
    SELECT next.line, next.place
    FROM waiting w
    CROSS JOIN LATERAL (
        SELECT coalesce(r.queue, 'default') AS line, r.due_at - r.priority * 60000 AS place
        FROM run r
        WHERE r.state = 'queued' AND coalesce(r.queue, 'default') > w.line
        ORDER BY coalesce(r.queue, 'default'), r.due_at - r.priority * 60000, r.due_at, r.id
        LIMIT 1) AS next
)
SELECT line, place FROM waiting
