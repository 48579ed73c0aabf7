SELECT coalesce(queue, 'default') FROM run WHERE id = :id
