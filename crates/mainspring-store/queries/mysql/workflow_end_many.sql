-- Moves runs of workflows to history, in one step with workflow_cancel_remove.
INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
    claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason, input, output,
    rerun_of, cause, parent_run, root_run, task, generation, logical_date, data_start, data_end)
SELECT r.id, r.job_id, r.job_version, r.trigger_id, e.state, r.origin, r.fire_time, r.due_at, r.created_at,
    r.claimed_at, r.claimed_at, e.at, r.attempt, NULL, r.priority, r.queue, r.not_before, r.cancel_requested_at,
    IF(e.keep = 1, COALESCE(e.reason, r.reason), e.reason), r.input, e.output,
    r.rerun_of, r.cause, r.parent_run, r.root_run, r.task, r.generation, r.logical_date, r.data_start, r.data_end
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]',
    state VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    at BIGINT PATH '$[2]',
    keep INT PATH '$[3]',
    reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
    output LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
WHERE r.state = 'running' AND r.claimed_by IS NULL
