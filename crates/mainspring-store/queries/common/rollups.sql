SELECT r.at, r.node, r.figures
FROM rollup r
WHERE r.span = :span AND r.at >= :after AND r.at < :before
ORDER BY r.at, r.node
