SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at,
    cancel_requested_at IS NOT NULL
FROM run
WHERE state = 'running' AND claimed_by = :dead
    AND NOT EXISTS (SELECT 1 FROM node n WHERE n.incarnation = :dead)
    AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.incarnation = :dead)
ORDER BY id
LIMIT :limit
FOR UPDATE SKIP LOCKED
