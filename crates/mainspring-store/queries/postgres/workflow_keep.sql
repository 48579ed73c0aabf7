-- Gives a run that repeats another one the rows of tasks that it keeps: pairs of the number there and here.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
SELECT :again, CAST(e.v ->> 1 AS bigint), t.item, t.state, t.generation, t.child, t.reason, t.since
FROM json_array_elements(CAST(:rows AS json)) AS e (v)
JOIN workflow_task t ON t.run_id = :run AND t.task = CAST(e.v ->> 0 AS bigint)
