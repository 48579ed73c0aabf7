-- Gives a run that repeats another one the rows of tasks that it keeps: pairs of the number there and here.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
SELECT :again, json_extract(e.value, '$[1]'), t.item, t.state, t.generation, t.child, t.reason, t.since
FROM json_each(:rows) AS e
CROSS JOIN workflow_task t ON t.run_id = :run AND t.task = json_extract(e.value, '$[0]')
