-- A counter below 0: whatever it is.
DELETE FROM worker
WHERE id = :id AND (:counter < 0 OR (node = :node
    AND counter + CASE WHEN heard = 1 THEN coalesce((SELECT n.counter FROM node_count n WHERE n.node = :node), 0) ELSE 0 END
        = :counter))
