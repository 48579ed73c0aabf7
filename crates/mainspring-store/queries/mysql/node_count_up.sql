INSERT INTO node_count (node, counter, counted_at)
VALUES (:node, 1, :at)
ON DUPLICATE KEY UPDATE counter = counter + 1, counted_at = VALUES(counted_at)
