-- Leaves a fire for each trigger that waits for the end of one of these runs, and tells the nodes. Parts of runs, runs over past fire
-- times, and what these have started, start nothing. Where no trigger waits for anything, nothing is read. OFFSET keeps the planner from reading more of the
-- history than the keys.
WITH told AS (
    INSERT INTO after_inbox (trigger_id, cause, fire_time, ended_at)
    SELECT a.trigger_id, h.id, h.fire_time, h.ended_at
    FROM (SELECT 1 FROM job_after LIMIT 1) AS used
    CROSS JOIN LATERAL json_array_elements_text(CAST(:runs AS json)) WITH ORDINALITY AS e (v, n)
    CROSS JOIN LATERAL (
        SELECT id, job_id, state, fire_time, ended_at FROM history
        WHERE id = CAST(e.v AS uuid) AND parent_run IS NULL AND origin <> 'backfill' OFFSET 0) AS h
    CROSS JOIN LATERAL (SELECT namespace, name FROM job WHERE id = h.job_id OFFSET 0) AS j
    CROSS JOIN LATERAL (
        SELECT trigger_id, outcome FROM job_after WHERE namespace = j.namespace AND upstream = j.name OFFSET 0) AS a
    WHERE (a.outcome = h.state OR a.outcome = 'any')
        AND NOT EXISTS (SELECT 1 FROM workflow_call c WHERE c.child = h.id AND c.backfilled = 1 LIMIT 1 OFFSET 0)
    ORDER BY e.n, a.trigger_id
    RETURNING 1)
SELECT pg_notify('mainspring_change', '') FROM (SELECT 1 FROM told LIMIT 1) AS once
