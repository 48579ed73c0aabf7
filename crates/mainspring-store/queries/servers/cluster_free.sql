UPDATE shard SET owner = NULL, lease = NULL
WHERE owner = (SELECT number FROM incarnation WHERE id = :id)
    AND (COALESCE((SELECT n.counter FROM node n WHERE n.incarnation = shard.owner), 0) = :counter OR :counter = -1)
