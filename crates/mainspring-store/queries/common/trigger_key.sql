SELECT j.namespace, j.name, t.name
FROM job_trigger t
JOIN job j ON j.id = t.job_id
WHERE t.id = :id
