-- Where tasks stand from now on. `since` comes first: it goes by what was there.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
SELECT UNHEX(r.run), r.task, r.item, r.state, r.generation, UNHEX(r.child), r.reason, r.at
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    run CHAR(32) PATH '$[0]',
    task BIGINT PATH '$[1]',
    item BIGINT PATH '$[2]',
    state VARCHAR(16) PATH '$[3]',
    generation BIGINT PATH '$[4]',
    child CHAR(32) PATH '$[5]',
    reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]',
    at BIGINT PATH '$[7]')) AS r
ON DUPLICATE KEY UPDATE
    since = IF(workflow_task.state = VALUES(state) AND workflow_task.generation = VALUES(generation), workflow_task.since, VALUES(since)),
    child = COALESCE(VALUES(child), workflow_task.child),
    state = VALUES(state), generation = VALUES(generation), reason = VALUES(reason)
