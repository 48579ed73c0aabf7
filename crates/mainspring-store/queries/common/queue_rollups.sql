SELECT r.at, r.node, r.figures, r.queue
FROM queue_rollup r
WHERE r.queue = :queue AND r.span = :span AND r.at >= :after AND r.at < :before
ORDER BY r.at, r.node
