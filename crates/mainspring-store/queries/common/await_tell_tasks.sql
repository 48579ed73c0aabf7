-- Tells live runs of workflows of ends of tasks of a run that their tasks await. Where nobody awaits any, nothing is read.
INSERT INTO workflow_inbox (run_id, request)
SELECT a.run_id, a.request
FROM (SELECT 1 FROM workflow_await LIMIT 1) AS used
CROSS JOIN run r ON r.id = :run
CROSS JOIN job j ON j.id = r.job_id
CROSS JOIN json_each(:tasks) AS e
CROSS JOIN workflow_await a ON a.namespace = j.namespace AND a.upstream = j.name AND a.of_task = e.value
CROSS JOIN run p ON p.id = a.run_id
WHERE r.fire_time >= a.first_date AND r.fire_time <= a.last_date
