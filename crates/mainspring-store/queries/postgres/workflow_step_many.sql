-- Takes turns, of runs whose rows are locked. OFFSET keeps the planner to the keys.
WITH taken AS MATERIALIZED (
    SELECT w.place, e.v
    FROM json_array_elements(CAST(:rows AS json)) AS e (v)
    CROSS JOIN LATERAL (SELECT ctid AS place FROM workflow_run WHERE run_id = CAST(e.v ->> 0 AS uuid) OFFSET 0) AS w
)
UPDATE workflow_run
SET turn = CAST(taken.v ->> 1 AS bigint), stop = taken.v ->> 2, paused = CAST(taken.v ->> 3 AS integer),
    children = CAST(taken.v ->> 4 AS bigint)
FROM taken
WHERE workflow_run.ctid = taken.place
