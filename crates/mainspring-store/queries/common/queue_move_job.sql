-- Runs of a job that wait in a queue, in the order of claims.
SELECT id, coalesce(queue, 'default')
FROM run
WHERE job_id = :job AND state = 'queued'
    AND (coalesce(queue, 'default') = :queue OR INSTR(queue, :routed) = 1 OR INSTR(queue, :shared) = 1)
ORDER BY due_at - priority * 60000, due_at, id
LIMIT :limit
