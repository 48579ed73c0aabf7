-- Tells live runs of workflows of the ends of runs that their tasks have started, and the nodes. Where no task ever did, nothing is read.
-- OFFSET keeps the planner from reading more of the history than the keys.
WITH told AS (
    INSERT INTO workflow_inbox (run_id, child, state)
    SELECT c.parent, c.child, h.state
    FROM (SELECT 1 FROM workflow_call LIMIT 1) AS used
    CROSS JOIN LATERAL json_array_elements_text(CAST(:runs AS json)) AS e (v)
    CROSS JOIN LATERAL (SELECT child, parent FROM workflow_call WHERE child = CAST(e.v AS uuid) OFFSET 0) AS c
    CROSS JOIN LATERAL (SELECT state FROM history WHERE id = c.child OFFSET 0) AS h
    WHERE (SELECT p.id FROM run p WHERE p.id = c.parent) IS NOT NULL
    RETURNING 1)
SELECT pg_notify('mainspring_change', '') FROM (SELECT 1 FROM told LIMIT 1) AS once
