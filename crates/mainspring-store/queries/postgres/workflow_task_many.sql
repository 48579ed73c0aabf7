-- Where tasks stand from now on.
INSERT INTO workflow_task AS t (run_id, task, item, state, generation, child, reason, since)
SELECT CAST(v ->> 0 AS uuid), CAST(v ->> 1 AS bigint), CAST(v ->> 2 AS bigint), v ->> 3, CAST(v ->> 4 AS bigint), CAST(v ->> 5 AS uuid), v ->> 6,
    CAST(v ->> 7 AS bigint)
FROM json_array_elements(CAST(:rows AS json)) AS r (v)
ON CONFLICT (run_id, task, item) DO UPDATE
SET since = CASE WHEN t.state = excluded.state AND t.generation = excluded.generation THEN t.since ELSE excluded.since END,
    state = excluded.state, generation = excluded.generation, child = COALESCE(excluded.child, t.child), reason = excluded.reason
