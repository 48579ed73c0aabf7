DELETE FROM workflow_inbox
WHERE id = ANY (ARRAY(SELECT CAST(v AS bigint) FROM json_array_elements_text(CAST(:messages AS json)) AS r (v)))
