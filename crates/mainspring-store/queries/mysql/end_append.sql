-- Copies runs that are locked to history.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input,
    exit_code, "signal", rerun_of, cause, parent_run, root_run, task, generation, logical_date,
    data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message, claimed_by)
SELECT r.id, r.job_id, r.job_version, r.trigger_id, e.state, r.origin, r.fire_time, r.due_at, r.created_at,
    r.claimed_at, e.started_at, e.ended_at, r.attempt, e.outcome, r.priority, r.queue, r.not_before,
    r.cancel_requested_at, CASE WHEN e.state = 'cancelled' THEN r.reason ELSE e.reason END, r.input,
    e.exit_code, e.ended_by, r.rerun_of, r.cause, r.parent_run, r.root_run, r.task, r.generation, r.logical_date,
    r.data_start, r.data_end, r.shard_index, r.shard_total, r.target_node, r.dispatch_code, r.dispatch_message,
    CASE WHEN e.outcome <> 'lost' THEN r.claimed_by END
FROM JSON_TABLE(:ends, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]', state VARCHAR(16) PATH '$[2]', started_at BIGINT PATH '$[3]', ended_at BIGINT PATH '$[4]',
    outcome VARCHAR(16) PATH '$[5]', reason VARCHAR(16) PATH '$[6]', exit_code BIGINT PATH '$[7]',
    ended_by BIGINT PATH '$[8]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
