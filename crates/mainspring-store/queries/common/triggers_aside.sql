-- A few of the triggers that are put aside, with the reason.
SELECT j.namespace, j.name, t.name, t.error
FROM trigger_state s
JOIN job_trigger t ON t.id = s.id
JOIN job j ON j.id = t.job_id
WHERE s.status = 'error'
ORDER BY s.id
LIMIT 10
