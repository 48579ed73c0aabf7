SELECT s.run_id, (SELECT count(*) FROM run r WHERE r.id = s.run_id AND r.state = 'running')
FROM queue_slot s
WHERE s.queue = :queue
