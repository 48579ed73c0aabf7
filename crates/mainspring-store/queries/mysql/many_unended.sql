-- Runs of jobs that no worker has: 1 with those of workflows that have begun.
SELECT r.job_id, CASE WHEN r.state = 'running' THEN 1 ELSE 0 END, r.id
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN run r FORCE INDEX (run_job) ON r.job_id = k.id
WHERE r.state <> 'running' OR r.claimed_by IS NULL
