DELETE FROM node_count
WHERE counted_at < :before AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.node = node_count.node)
