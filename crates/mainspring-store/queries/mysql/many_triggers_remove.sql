DELETE t, s, a
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job_trigger t FORCE INDEX (PRIMARY) ON t.id = k.id
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = k.id
LEFT JOIN job_after a FORCE INDEX (job_after_trigger) ON a.trigger_id = k.id
