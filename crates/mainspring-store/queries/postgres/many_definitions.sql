-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
SELECT v.job_id, v.version, v.definition
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM job_version
    WHERE job_id = CAST(k.v ->> 0 AS bigint) AND version = CAST(k.v ->> 1 AS bigint) OFFSET 0) AS v
