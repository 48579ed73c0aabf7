-- Gives a run that repeats another one the rows of tasks that it keeps: pairs of the number there and here.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
SELECT CAST(:again AS BINARY), e.here, t.item, t.state, t.generation, t.child, t.reason, t.since
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (there BIGINT PATH '$[0]', here BIGINT PATH '$[1]')) AS e
STRAIGHT_JOIN workflow_task t FORCE INDEX (PRIMARY) ON t.run_id = :run AND t.task = e.there
