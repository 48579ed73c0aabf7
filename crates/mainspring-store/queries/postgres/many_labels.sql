INSERT INTO job_label (job_id, name, value)
SELECT CAST(v ->> 0 AS bigint), v ->> 1, v ->> 2
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
