REPLACE INTO tombstone (namespace, job, name, trigger_id, version, fired_through, deleted_at)
SELECT j.namespace, j.name, t.name, t.id, s.version, s.fired_through, :at
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job_trigger t FORCE INDEX (PRIMARY) ON t.id = k.id
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = t.id
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = t.job_id
ORDER BY t.id
