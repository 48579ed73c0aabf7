-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
SELECT s.name, s.trigger_id, s.fired_through, s.version, s.namespace, s.job
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM tombstone WHERE namespace = k.v ->> 0 AND job = k.v ->> 1 OFFSET 0) AS s
ORDER BY s.namespace, s.job, s.name
