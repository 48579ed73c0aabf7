-- Tells live runs of workflows of ends of runs that their tasks await, and the nodes. Where nobody awaits any, nothing is read. OFFSET
-- keeps the planner from reading more of the history than the keys.
WITH told AS (
    INSERT INTO workflow_inbox (run_id, request)
    SELECT a.run_id, a.request
    FROM (SELECT 1 FROM workflow_await LIMIT 1) AS used
    CROSS JOIN LATERAL json_array_elements_text(CAST(:runs AS json)) AS e (v)
    CROSS JOIN LATERAL (
        SELECT job_id, fire_time FROM history WHERE id = CAST(e.v AS uuid) AND parent_run IS NULL OFFSET 0) AS h
    CROSS JOIN LATERAL (SELECT namespace, name FROM job WHERE id = h.job_id OFFSET 0) AS j
    CROSS JOIN LATERAL (
        SELECT run_id, request FROM workflow_await
        WHERE namespace = j.namespace AND upstream = j.name AND h.fire_time >= first_date AND h.fire_time <= last_date OFFSET 0) AS a
    WHERE (SELECT p.id FROM run p WHERE p.id = a.run_id) IS NOT NULL
    RETURNING 1)
SELECT pg_notify('mainspring_change', '') FROM (SELECT 1 FROM told LIMIT 1) AS once
