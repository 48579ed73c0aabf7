-- A few of the active triggers that have fired for instants after one that is to come, or passed over such.
SELECT j.namespace, j.name, t.name
FROM trigger_state s
JOIN job_trigger t ON t.id = s.id
JOIN job j ON j.id = t.job_id
WHERE s.status = 'active' AND (s.fired_through > :after OR s.previous_fire_at > :after)
ORDER BY s.id
LIMIT :limit
