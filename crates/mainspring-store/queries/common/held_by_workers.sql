-- What the workers that a process start hears execute, as far as the store knows.
SELECT w.id, r.id, r.attempt, r.cancel_requested_at IS NOT NULL
FROM run r
JOIN worker w ON w.incarnation = r.claimed_by
WHERE r.state = 'running' AND w.node = (SELECT number FROM incarnation WHERE id = :id)
ORDER BY r.id
