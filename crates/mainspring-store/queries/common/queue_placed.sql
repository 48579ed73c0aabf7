SELECT coalesce(queue, 'default'), priority, due_at FROM run WHERE id = :id AND state = 'queued'
