INSERT INTO queue_slot (queue, run_id)
SELECT :queue, r.id
FROM run r
WHERE r.state = 'running' AND r.claimed_by IS NOT NULL
    AND (coalesce(r.queue, 'default') = :queue OR INSTR(r.queue, :routed) = 1 OR INSTR(r.queue, :shared) = 1)
    AND NOT EXISTS (SELECT 1 FROM queue_slot s WHERE s.queue = :queue AND s.run_id = r.id)
