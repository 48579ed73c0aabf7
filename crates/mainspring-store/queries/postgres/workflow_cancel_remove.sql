DELETE FROM run
WHERE id = ANY (ARRAY(SELECT CAST(v ->> 0 AS uuid) FROM json_array_elements(CAST(:rows AS json)) AS r (v)))
