-- Triggers that the usual step did not fit.
SELECT s.id, s.version, s.next_fire_at, s.status, s.paused, s.fired_through, s.scan_at, t.job_id, j.version
FROM trigger_state s
JOIN job_trigger t ON t.id = s.id
JOIN job j ON j.id = t.job_id
WHERE s.id IN (SELECT value FROM json_each(:triggers))
