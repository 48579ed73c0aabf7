-- Of these runs, those of workflows.
SELECT run_id FROM workflow_run WHERE run_id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
