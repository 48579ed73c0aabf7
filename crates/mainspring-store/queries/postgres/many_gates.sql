INSERT INTO job_gate (job_id, active, held)
SELECT CAST(v ->> 0 AS bigint), 0, 0
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
