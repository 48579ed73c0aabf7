-- Triggers that a calendar applies to.
SELECT t.id
FROM job_trigger t
JOIN job j ON j.id = t.job_id
WHERE t.calendar = :name AND j.namespace = :namespace
ORDER BY t.id
