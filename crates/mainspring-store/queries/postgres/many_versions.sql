INSERT INTO job_version (job_id, definition, queue, saved_at, saved_by, saved_from, version)
SELECT CAST(v ->> 0 AS bigint), v ->> 1, v ->> 2, CAST(v ->> 3 AS bigint), v ->> 4, v ->> 5, 1
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
