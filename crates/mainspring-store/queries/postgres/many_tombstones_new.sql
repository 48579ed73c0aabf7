-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
INSERT INTO tombstone (namespace, job, name, trigger_id, version, fired_through, deleted_at)
SELECT j.namespace, j.name, t.name, t.id, s.version, s.fired_through, CAST(:at AS bigint)
FROM json_array_elements(CAST(:triggers AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM job_trigger WHERE id = CAST(CAST(k.v AS text) AS bigint) OFFSET 0) AS t
CROSS JOIN LATERAL (SELECT * FROM trigger_state WHERE id = t.id OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT * FROM job WHERE id = t.job_id OFFSET 0) AS j
ORDER BY t.id
ON CONFLICT (namespace, job, name) DO UPDATE SET trigger_id = excluded.trigger_id, version = excluded.version,
    fired_through = excluded.fired_through, deleted_at = excluded.deleted_at
