-- The runs of tasks. They count in no gate: that of the workflow does. OFFSET keeps the planner to the keys.
INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue, expires_at,
    input, parent_run, root_run, task, generation)
SELECT CAST(v ->> 0 AS uuid), p.job_id, CAST(v ->> 1 AS bigint), 'queued', 'parent', 0, p.fire_time, CAST(v ->> 9 AS bigint), CAST(v ->> 9 AS bigint), 0,
    CAST(v ->> 2 AS bigint), v ->> 3, CAST(v ->> 4 AS bigint), v ->> 5, p.id, COALESCE(p.root_run, p.id), v ->> 6, CAST(v ->> 7 AS bigint)
FROM json_array_elements(CAST(:rows AS json)) AS r (v)
CROSS JOIN LATERAL (SELECT id, job_id, fire_time, root_run FROM run WHERE id = CAST(v ->> 8 AS uuid) OFFSET 0) AS p
