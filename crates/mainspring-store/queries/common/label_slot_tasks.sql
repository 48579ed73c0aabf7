SELECT r.id, r.job_id, r.job_version
FROM run r
WHERE r.state = 'running' AND r.claimed_by IS NOT NULL AND r.job_version >= :tasks
    AND NOT EXISTS (SELECT 1 FROM queue_slot s WHERE s.queue = :label AND s.run_id = r.id)
