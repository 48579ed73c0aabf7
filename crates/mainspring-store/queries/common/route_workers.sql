-- The workers that live and take runs, for routing.
SELECT w.name, w.queues, w.labels, w.slots, CASE WHEN w.heard = 1 THEN coalesce(n.counted_at, w.heard_at) ELSE w.heard_at END,
    w.place
FROM worker w
LEFT JOIN node_count n ON n.node = w.node
WHERE w.draining = 0
