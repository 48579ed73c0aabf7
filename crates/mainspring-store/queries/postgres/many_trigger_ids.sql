-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
SELECT t.id, t.job_id, t.position
FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM job_trigger WHERE job_id = CAST(CAST(k.v AS text) AS bigint) OFFSET 0) AS t
