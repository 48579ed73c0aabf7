-- The lines in which routed runs wait: for a worker to be picked, or for one worker. Not min(queue): see claim_look.
WITH RECURSIVE waiting (line) AS (
    SELECT (SELECT queue FROM run WHERE state = 'queued' AND queue LIKE '%/%' ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT r.queue FROM run r WHERE r.state = 'queued' AND r.queue LIKE '%/%' AND r.queue > w.line ORDER BY r.queue LIMIT 1)
    FROM waiting w
    WHERE w.line IS NOT NULL
)
SELECT line FROM waiting WHERE line IS NOT NULL
