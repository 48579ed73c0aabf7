-- What claim_look says where lines are known, without what lies below their floors: queues for which something is set, and the lines (with a
-- floor) with the first places from there on at which runs wait.
SELECT name, CAST(NULL AS bigint), CAST(NULL AS bigint)
FROM queue
WHERE paused = 1 OR max_running IS NOT NULL OR rate_count IS NOT NULL
UNION ALL
SELECT known.line, known.floor, (
    SELECT r.due_at - r.priority * 60000
    FROM run r
    WHERE r.state = 'queued' AND coalesce(r.queue, 'default') = known.line AND r.due_at - r.priority * 60000 >= known.floor
    ORDER BY r.due_at - r.priority * 60000, r.due_at, r.id
    LIMIT 1)
FROM unnest(CAST(:lines AS text[]), CAST(:floors AS bigint[])) AS known (line, floor)
