SELECT w.id, w.name, w.queues, w.labels, w.slots, w.version, w.token, i.id, w.joined_at, w.place,
    CASE WHEN w.heard = 1 THEN coalesce(n.counted_at, w.heard_at) ELSE w.heard_at END, 0,
    w.draining, w.clock_offset_ms
FROM worker w
LEFT JOIN incarnation i ON i.number = w.node
LEFT JOIN node_count n ON n.node = w.node
WHERE w.id = :id
