-- What a claim has to know beforehand: queues for which something is set (0), lines of namespaces in which runs wait (1), and whether
-- runs wait in queues themselves (2). Not min(queue): a server without statistics reads all runs of the index for that.
WITH RECURSIVE waiting (line) AS (
    SELECT (SELECT queue FROM run WHERE state = 'queued' AND queue LIKE '%#%' ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT r.queue FROM run r WHERE r.state = 'queued' AND r.queue LIKE '%#%' AND r.queue > w.line ORDER BY r.queue LIMIT 1)
    FROM waiting w
    WHERE w.line IS NOT NULL
)
SELECT 0, name FROM queue WHERE paused = 1 OR max_running IS NOT NULL OR rate_count IS NOT NULL
UNION ALL
SELECT 1, line FROM waiting WHERE line IS NOT NULL
UNION ALL
SELECT 2, '' WHERE (
    SELECT id
    FROM run
    WHERE state = 'queued' AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%#%')
    ORDER BY due_at - priority * 60000, due_at, id
    LIMIT 1) IS NOT NULL
