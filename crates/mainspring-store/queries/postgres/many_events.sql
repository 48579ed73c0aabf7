INSERT INTO event (at, payload, kind)
SELECT CAST(v ->> 0 AS bigint), convert_to(v ->> 1, 'UTF8'), 'job'
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
