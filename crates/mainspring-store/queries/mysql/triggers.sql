SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata, t.name, t.paused, t.jitter_ms, CASE WHEN s.status = 'error' THEN t.error END
FROM job j
JOIN job_trigger t ON t.job_id = j.id
JOIN trigger_state s ON s.id = t.id
WHERE j.deleted_at IS NULL
    AND ((j.namespace = :after_namespace AND j.name >= :after_job) OR j.namespace > :after_namespace)
    AND (j.namespace > :after_namespace OR j.name > :after_job OR t.name > :after_name)
    AND (j.namespace = :namespace OR :namespace IS NULL)
    AND (j.name = :job OR :job IS NULL)
ORDER BY j.namespace, j.name, t.name
LIMIT :limit
