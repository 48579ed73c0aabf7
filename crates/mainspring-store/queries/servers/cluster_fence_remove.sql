-- Waits for the batch under way. The node's row is locked; its counter must still be the one seen, or -1 is asked for.
DELETE FROM fence
WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id)
    AND (COALESCE((SELECT n.counter FROM node n WHERE n.incarnation = fence.incarnation), 0) = :counter OR :counter = -1)
