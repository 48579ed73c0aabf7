-- Tells live runs of workflows of ends of tasks of a run that their tasks await. Where nobody awaits any, nothing is read.
INSERT INTO workflow_inbox (run_id, request)
SELECT a.run_id, a.request
FROM (SELECT 1 AS one FROM workflow_await LIMIT 1) AS used
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = :run
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = r.job_id
STRAIGHT_JOIN JSON_TABLE(:tasks, '$[*]' COLUMNS (
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS e
STRAIGHT_JOIN workflow_await a FORCE INDEX (workflow_await_upstream)
    ON a.namespace = j.namespace AND a.upstream = j.name AND a.of_task = e.name
STRAIGHT_JOIN run p FORCE INDEX (PRIMARY) ON p.id = a.run_id
WHERE r.fire_time >= a.first_date AND r.fire_time <= a.last_date
