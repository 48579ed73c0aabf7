-- The held runs that take the next slots.
SELECT id FROM run WHERE job_id = :job AND held_place IS NOT NULL ORDER BY held_place, due_at, id LIMIT :limit
