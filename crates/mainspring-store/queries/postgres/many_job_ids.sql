-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
SELECT j.id, j.namespace, j.name
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM job WHERE namespace = k.v ->> 0 AND name = k.v ->> 1 AND deleted_at IS NULL OFFSET 0) AS j
