-- Where tasks stand from now on. `since` comes first: it goes by what was there.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
SELECT CAST(:run AS BINARY), r.task, r.item, r.state, r.generation, UNHEX(r.child), r.reason, :at
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    task BIGINT PATH '$[0]',
    item BIGINT PATH '$[1]',
    state VARCHAR(16) PATH '$[2]',
    generation BIGINT PATH '$[3]',
    child CHAR(32) PATH '$[4]',
    reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS r
ON DUPLICATE KEY UPDATE
    since = IF(workflow_task.state = VALUES(state) AND workflow_task.generation = VALUES(generation), workflow_task.since, VALUES(since)),
    child = COALESCE(VALUES(child), workflow_task.child),
    state = VALUES(state), generation = VALUES(generation), reason = VALUES(reason)
