INSERT INTO queue_slot (queue, run_id)
SELECT coalesce(r.queue, 'default'), r.id
FROM run r
WHERE r.state = 'running' AND coalesce(r.queue, 'default') = :queue
    AND NOT EXISTS (SELECT 1 FROM queue_slot s WHERE s.queue = :queue AND s.run_id = r.id)
