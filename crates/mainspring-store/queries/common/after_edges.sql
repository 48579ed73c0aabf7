-- Which jobs of a namespace wait for which.
SELECT a.upstream, j.name, t.name, a.outcome
FROM job_after a
JOIN job_trigger t ON t.id = a.trigger_id
JOIN job j ON j.id = t.job_id
WHERE a.namespace = :namespace
ORDER BY a.upstream, j.name, t.name
