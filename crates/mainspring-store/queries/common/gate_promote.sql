-- The held runs that take the next slots.
SELECT id FROM run WHERE job_id = :job AND state = 'held' ORDER BY priority DESC, due_at, id LIMIT :limit
