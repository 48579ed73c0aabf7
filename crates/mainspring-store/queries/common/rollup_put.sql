-- A node that counts on writes its row anew.
INSERT INTO rollup (span, at, node, figures)
VALUES (:span, :at, :node, :figures)
ON CONFLICT (span, at, node) DO UPDATE SET figures = excluded.figures
