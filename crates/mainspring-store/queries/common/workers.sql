SELECT w.id, w.name, w.queues, w.labels, w.slots, w.version, w.token, i.id, w.joined_at, w.heard_at,
    (SELECT COUNT(*) FROM run r WHERE r.state = 'running' AND r.claimed_by = w.incarnation)
FROM worker w
LEFT JOIN incarnation i ON i.number = w.node
ORDER BY w.name, w.id
