SELECT task, item, state, generation, child, reason, since
FROM workflow_task
WHERE run_id = :run
ORDER BY task, item
