DELETE FROM workflow_inbox
WHERE run_id = ANY (ARRAY(SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS e (v)))
