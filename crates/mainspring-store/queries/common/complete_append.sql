-- The usual end of a run, in one step with complete_remove: it runs, at this attempt, for this process, and under no
-- limit. Zero rows: look closer (complete_read). What is lost has been taken over: whoever claims it did not execute it.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input,
    output, exit_code, "signal", error_code, error, rerun_of, cause, parent_run, root_run, task, generation, logical_date,
    data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message, claimed_by)
SELECT id, job_id, job_version, trigger_id, :state, origin, fire_time, due_at, created_at,
    claimed_at, :started_at, :ended_at, attempt, :outcome, priority, queue, not_before, cancel_requested_at,
    CASE WHEN :keep_reason THEN reason ELSE :reason END, input,
    :output, :exit_code, :signal, :error_code, :error, rerun_of, cause, parent_run, root_run, task, generation, logical_date,
    data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message,
    CASE WHEN :outcome <> 'lost' THEN claimed_by END
FROM run
WHERE id = :id AND state = 'running' AND attempt = :attempt AND claimed_by = :owner AND gated <= :gated
