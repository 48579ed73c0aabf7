-- Inserts the runs of triggers that were advanced. Fails as a whole where one of them is there.
INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, claimed_at,
    claimed_by, attempt, priority, queue)
SELECT UNHEX(r.id), r.job_id, r.job_version, r.trigger_id, r.state, r.origin, 0, r.fire_time, r.due_at, :at,
    CASE WHEN r.state = 'running' THEN :at END, CASE WHEN r.state = 'running' THEN :owner END, r.state = 'running',
    r.priority, r.queue
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]', job_id BIGINT PATH '$[1]', job_version BIGINT PATH '$[2]', trigger_id BIGINT PATH '$[3]',
    state VARCHAR(16) PATH '$[4]', origin VARCHAR(16) PATH '$[5]', fire_time BIGINT PATH '$[6]',
    due_at BIGINT PATH '$[7]', priority BIGINT PATH '$[8]',
    queue VARCHAR(255) PATH '$[9]')) AS r
