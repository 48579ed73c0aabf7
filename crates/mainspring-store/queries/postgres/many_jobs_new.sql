-- Numbers them in the order of the list.
INSERT INTO job (namespace, name, shard, paused, created_at, updated_at, version, "change")
SELECT v ->> 0, v ->> 1, CAST(v ->> 2 AS smallint), CAST(v ->> 3 AS integer), CAST(v ->> 4 AS bigint), CAST(v ->> 5 AS bigint), 1, 1
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
