-- Copies runs that no worker has to history. What an attempt before left is shown on.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input,
    output, exit_code, "signal", error_code, error, rerun_of, cause, parent_run, root_run, task, generation, logical_date,
    data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message)
SELECT r.id, r.job_id, r.job_version, r.trigger_id, 'cancelled', r.origin, r.fire_time, r.due_at, r.created_at,
    r.claimed_at, a.started_at, :at, r.attempt, NULL, r.priority, r.queue, r.not_before, r.cancel_requested_at, e.reason,
    r.input, NULL, a.exit_code, a.signal, a.error_code, a.error, r.rerun_of, r.cause, r.parent_run, r.root_run, r.task,
    r.generation, r.logical_date, r.data_start, r.data_end, r.shard_index, r.shard_total, r.target_node,
    r.dispatch_code, r.dispatch_message
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]', reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
LEFT JOIN attempt a FORCE INDEX (PRIMARY) ON a.run_id = r.id AND a.attempt = r.attempt
