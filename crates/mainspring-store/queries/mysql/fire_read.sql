-- Triggers that the usual step did not fit.
SELECT s.id, s.version, s.next_fire_at, s.status, s.paused, s.fired_through, s.scan_at, t.job_id, j.version
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = r.id
STRAIGHT_JOIN job_trigger t FORCE INDEX (PRIMARY) ON t.id = s.id
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = t.job_id
