-- Of runs that were taken, those that are still executed by who took them.
SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at,
    cancel_requested_at IS NOT NULL, coalesce(queue, 'default')
FROM run
WHERE id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
    AND state = 'running' AND claimed_by = :owner
