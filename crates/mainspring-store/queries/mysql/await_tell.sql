-- Tells live runs of workflows of ends of runs that their tasks await. Where nobody awaits any, nothing is read.
INSERT INTO workflow_inbox (run_id, request)
SELECT a.run_id, a.request
FROM (SELECT 1 AS one FROM workflow_await LIMIT 1) AS used
STRAIGHT_JOIN JSON_TABLE(:runs, '$[*]' COLUMNS (n FOR ORDINALITY, id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(e.id)
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = h.job_id
STRAIGHT_JOIN workflow_await a FORCE INDEX (workflow_await_upstream) ON a.namespace = j.namespace AND a.upstream = j.name
STRAIGHT_JOIN run p FORCE INDEX (PRIMARY) ON p.id = a.run_id
WHERE h.parent_run IS NULL AND h.fire_time >= a.first_date AND h.fire_time <= a.last_date
ORDER BY e.n
