-- The lines in which routed runs wait: for a worker to be picked, or for one worker.
WITH RECURSIVE waiting (line) AS (
    SELECT min(queue) FROM run WHERE state = 'queued' AND queue LIKE '%/%'
    UNION ALL
    SELECT (SELECT min(r.queue) FROM run r WHERE r.state = 'queued' AND r.queue LIKE '%/%' AND r.queue > w.line)
    FROM waiting w
    WHERE w.line IS NOT NULL
)
SELECT line FROM waiting WHERE line IS NOT NULL
