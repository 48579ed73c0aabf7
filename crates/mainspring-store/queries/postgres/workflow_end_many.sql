-- Moves runs of workflows to history, in one step with workflow_cancel_remove. OFFSET keeps the planner to the keys.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input, output,
    rerun_of, cause, parent_run, root_run, task, generation, logical_date, data_start, data_end)
SELECT r.id, r.job_id, r.job_version, r.trigger_id, e.v ->> 1, r.origin, r.fire_time, r.due_at, r.created_at,
    r.claimed_at, r.claimed_at, CAST(e.v ->> 2 AS bigint), r.attempt, NULL, r.priority, r.queue, r.not_before, r.cancel_requested_at,
    CASE WHEN CAST(e.v ->> 3 AS integer) = 1 THEN COALESCE(e.v ->> 4, r.reason) ELSE e.v ->> 4 END, r.input, e.v ->> 5,
    r.rerun_of, r.cause, r.parent_run, r.root_run, r.task, r.generation, r.logical_date, r.data_start, r.data_end
FROM json_array_elements(CAST(:rows AS json)) AS e (v)
CROSS JOIN LATERAL (
    SELECT * FROM run WHERE id = CAST(e.v ->> 0 AS uuid) AND state = 'running' AND claimed_by IS NULL OFFSET 0) AS r
