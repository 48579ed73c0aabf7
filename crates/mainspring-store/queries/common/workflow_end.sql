-- Moves a run of a workflow to history, in one step with complete_remove.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input, output,
    rerun_of, cause, parent_run, root_run, task, generation, logical_date, data_start, data_end)
SELECT id, job_id, job_version, trigger_id, :state, origin, fire_time, due_at, created_at,
    claimed_at, claimed_at, :at, attempt, NULL, priority, queue, not_before, cancel_requested_at,
    CASE WHEN :keep_reason THEN COALESCE(:reason, reason) ELSE :reason END, input, :output,
    rerun_of, cause, parent_run, root_run, task, generation, logical_date, data_start, data_end
FROM run
WHERE id = :id AND state = 'running' AND claimed_by IS NULL
