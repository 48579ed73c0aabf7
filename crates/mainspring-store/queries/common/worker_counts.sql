SELECT w.id, w.node, w.heard, w.counter + CASE WHEN w.heard = 1 THEN coalesce(n.counter, 0) ELSE 0 END,
    w.draining
FROM worker w
LEFT JOIN node_count n ON n.node = w.node
