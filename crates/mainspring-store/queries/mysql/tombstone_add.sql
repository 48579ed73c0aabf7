REPLACE INTO tombstone (namespace, job, name, trigger_id, version, fired_through, deleted_at)
SELECT j.namespace, j.name, t.name, t.id, s.version, s.fired_through, :at
FROM job_trigger t
JOIN trigger_state s ON s.id = t.id
JOIN job j ON j.id = t.job_id
WHERE t.id = :trigger
