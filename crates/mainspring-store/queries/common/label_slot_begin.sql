INSERT INTO queue_slot (queue, run_id)
SELECT :label, r.id
FROM run r
WHERE r.state = 'running' AND r.claimed_by IS NOT NULL AND r.job_version < :tasks
    AND EXISTS (SELECT 1 FROM job_label l WHERE l.job_id = r.job_id AND l.name = :name AND l.value = :value)
    AND NOT EXISTS (SELECT 1 FROM queue_slot s WHERE s.queue = :label AND s.run_id = r.id)
