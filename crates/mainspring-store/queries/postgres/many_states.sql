INSERT INTO trigger_state (id, shard, paused, status, next_fire_at, due_at, scan_at, previous_fire_at, start_at, repeat_count, times_triggered, fired_through, awaiting_run, tzdata, version)
SELECT CAST(v ->> 0 AS bigint), CAST(v ->> 1 AS smallint), CAST(v ->> 2 AS integer), v ->> 3, CAST(v ->> 4 AS bigint), CAST(v ->> 5 AS bigint), CAST(v ->> 6 AS bigint), CAST(v ->> 7 AS bigint), CAST(v ->> 8 AS bigint), CAST(v ->> 9 AS bigint), CAST(v ->> 10 AS bigint), CAST(v ->> 11 AS bigint), CAST(v ->> 12 AS uuid), CAST(v ->> 13 AS integer), 1
FROM json_array_elements(CAST(:rows AS json)) WITH ORDINALITY AS r (v, n)
ORDER BY n
