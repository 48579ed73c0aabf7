-- OFFSET keeps the planner from reading the table whole, which it would prefer while that seems to be small.
SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata, t.name, t.paused, t.jitter_ms, CASE WHEN s.status = 'error' THEN t.error END
FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
CROSS JOIN LATERAL (SELECT * FROM job WHERE id = CAST(CAST(k.v AS text) AS bigint) OFFSET 0) AS j
CROSS JOIN LATERAL (SELECT * FROM job_trigger WHERE job_id = j.id OFFSET 0) AS t
CROSS JOIN LATERAL (SELECT * FROM trigger_state WHERE id = t.id OFFSET 0) AS s
ORDER BY t.job_id, t.position
