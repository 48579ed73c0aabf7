-- The runs of tasks. They count in no gate: that of the workflow does.
INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue, expires_at,
    input, parent_run, root_run, task, generation)
SELECT UNHEX(r.child), p.job_id, r.version, 'queued', 'parent', 0, p.fire_time, r.at, r.at, 0,
    r.priority, r.line, r.expires_at, r.input, p.id, COALESCE(p.root_run, p.id), r.task, r.generation
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    child CHAR(32) PATH '$[0]',
    version BIGINT PATH '$[1]',
    priority BIGINT PATH '$[2]',
    line VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
    expires_at BIGINT PATH '$[4]',
    input LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
    task VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]',
    generation BIGINT PATH '$[7]',
    run CHAR(32) PATH '$[8]',
    at BIGINT PATH '$[9]')) AS r
STRAIGHT_JOIN run p FORCE INDEX (PRIMARY) ON p.id = UNHEX(r.run)
