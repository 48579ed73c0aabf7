INSERT INTO cancel_change (run_id)
SELECT CAST(v ->> 0 AS uuid) FROM json_array_elements(CAST(:rows AS json)) AS r (v)
ON CONFLICT (run_id) DO NOTHING
