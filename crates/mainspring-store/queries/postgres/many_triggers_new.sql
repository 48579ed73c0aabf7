-- Numbers them in the order of the list.
INSERT INTO job_trigger (job_id, position, name, paused, jitter_ms, calendar)
SELECT CAST(v ->> 0 AS bigint), CAST(v ->> 1 AS bigint), v ->> 2, CAST(v ->> 3 AS integer), CAST(v ->> 4 AS bigint), v ->> 5
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
