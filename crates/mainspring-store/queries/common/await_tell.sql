-- Tells live runs of workflows of ends of runs that their tasks await. Where nobody awaits any, nothing is read.
INSERT INTO workflow_inbox (run_id, request)
SELECT a.run_id, a.request
FROM (SELECT 1 FROM workflow_await LIMIT 1) AS used
CROSS JOIN json_each(:runs) AS e
CROSS JOIN history h ON h.id = unhex(e.value)
CROSS JOIN job j ON j.id = h.job_id
CROSS JOIN workflow_await a ON a.namespace = j.namespace AND a.upstream = j.name
CROSS JOIN run p ON p.id = a.run_id
WHERE h.parent_run IS NULL AND h.fire_time >= a.first_date AND h.fire_time <= a.last_date
