INSERT INTO node_count (node, counter, counted_at)
VALUES (:node, 1, :at)
ON CONFLICT (node) DO UPDATE SET counter = node_count.counter + 1, counted_at = excluded.counted_at
