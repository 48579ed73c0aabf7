-- What workers execute, by job.
SELECT w.name, r.job_id, COUNT(*)
FROM run r
JOIN worker w ON w.incarnation = r.claimed_by
WHERE r.state = 'running'
GROUP BY w.name, r.job_id
