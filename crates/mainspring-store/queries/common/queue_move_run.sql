SELECT id, coalesce(queue, 'default') FROM run WHERE id = :id AND state = 'queued'
