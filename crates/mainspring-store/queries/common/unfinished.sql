-- What the oldest unfinished runs wait for, for metrics.
SELECT r.state, COALESCE(r.queue, v.queue, 'default'), COUNT(*), MIN(r.due_at)
FROM (SELECT state, queue, job_id, job_version, due_at FROM run ORDER BY id LIMIT :limit) AS r
LEFT JOIN job_version v ON v.job_id = r.job_id AND v.version = r.job_version
GROUP BY r.state, COALESCE(r.queue, v.queue, 'default')
