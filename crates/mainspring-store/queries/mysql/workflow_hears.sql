-- Live runs of workflows with something in their inbox, that which has waited longest first.
SELECT i.run_id, r.job_id, r.job_version
FROM (SELECT run_id, MIN(id) AS first FROM workflow_inbox GROUP BY run_id) AS i
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = i.run_id
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = r.job_id
WHERE r.state = 'running' AND SUBSTRING(:shards, j.shard + 1, 1) = '1'
ORDER BY i.first
LIMIT :limit
