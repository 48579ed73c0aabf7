SELECT w.id, w.name, w.queues, w.labels, w.slots, w.version, w.token, i.id, w.joined_at, w.heard_at, 0
FROM worker w
LEFT JOIN incarnation i ON i.number = w.node
WHERE w.id = :id
