-- A node that counts on writes its row anew.
INSERT INTO rollup (span, at, node, figures)
VALUES (:span, :at, :node, :figures)
ON DUPLICATE KEY UPDATE figures = VALUES(figures)
