-- Of these runs, those of workflows.
SELECT run_id FROM workflow_run WHERE run_id IN (SELECT unhex(value) FROM json_each(:runs))
