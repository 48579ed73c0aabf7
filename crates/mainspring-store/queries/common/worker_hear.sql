-- The node that heard it last counts for it no more.
UPDATE worker
SET counter = counter + 1 + CASE WHEN heard = 1 THEN coalesce((SELECT n.counter FROM node_count n WHERE n.node = :before), 0) ELSE 0 END,
    heard = 0, node = :node, heard_at = :at
WHERE id = :id AND node = :before
