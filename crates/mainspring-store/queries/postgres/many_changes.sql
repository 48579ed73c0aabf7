INSERT INTO trigger_change (trigger_id, shard)
SELECT CAST(v ->> 0 AS bigint), CAST(v ->> 1 AS smallint)
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
