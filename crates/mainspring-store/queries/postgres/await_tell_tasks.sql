-- Tells live runs of workflows of ends of tasks of a run that their tasks await, and the nodes. Where nobody awaits any, nothing is read.
-- OFFSET keeps the planner to the keys.
WITH told AS (
    INSERT INTO workflow_inbox (run_id, request)
    SELECT a.run_id, a.request
    FROM (SELECT 1 FROM workflow_await LIMIT 1) AS used
    CROSS JOIN LATERAL (SELECT job_id, fire_time FROM run WHERE id = :run OFFSET 0) AS r
    CROSS JOIN LATERAL (SELECT namespace, name FROM job WHERE id = r.job_id OFFSET 0) AS j
    CROSS JOIN LATERAL json_array_elements_text(CAST(:tasks AS json)) AS e (v)
    CROSS JOIN LATERAL (
        SELECT run_id, request FROM workflow_await
        WHERE namespace = j.namespace AND upstream = j.name AND of_task = e.v
            AND r.fire_time >= first_date AND r.fire_time <= last_date OFFSET 0) AS a
    WHERE (SELECT p.id FROM run p WHERE p.id = a.run_id) IS NOT NULL
    RETURNING 1)
SELECT pg_notify('mainspring_change', '') FROM (SELECT 1 FROM told LIMIT 1) AS once
