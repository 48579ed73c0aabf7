-- A node that counts on writes its row anew.
INSERT INTO queue_rollup (queue, span, at, node, figures)
VALUES (:queue, :span, :at, :node, :figures)
ON DUPLICATE KEY UPDATE figures = VALUES(figures)
