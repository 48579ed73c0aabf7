-- Live runs of workflows with something in their inbox, that which has waited longest first. OFFSET keeps the planner from reading more
-- runs than these.
SELECT i.run_id, r.job_id, r.job_version
FROM (SELECT run_id, MIN(id) AS first FROM workflow_inbox GROUP BY run_id) AS i
CROSS JOIN LATERAL (SELECT job_id, job_version FROM run WHERE id = i.run_id AND state = 'running' OFFSET 0) AS r
CROSS JOIN LATERAL (SELECT shard FROM job WHERE id = r.job_id OFFSET 0) AS j
WHERE SUBSTR(CAST(:shards AS TEXT), j.shard + 1, 1) = '1'
ORDER BY i.first
LIMIT :limit
