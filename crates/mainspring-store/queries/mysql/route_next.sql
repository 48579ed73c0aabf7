-- The next job, and version of it, of which runs wait in a line for a worker to be picked. Pairs are not looked up in an index.
(SELECT job_id, job_version
FROM run FORCE INDEX (run_routed)
WHERE routed_line = :line AND job_id = :job AND job_version > :version
ORDER BY job_version
LIMIT 1)
UNION ALL
(SELECT job_id, job_version
FROM run FORCE INDEX (run_routed)
WHERE routed_line = :line AND job_id > :job
ORDER BY job_id, job_version
LIMIT 1)
ORDER BY job_id, job_version
LIMIT 1
