-- Tells live runs of workflows of the ends of their tasks' runs. OFFSET keeps the planner from reading more of the history than the keys.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT h.parent_run, h.id, h.state
FROM json_array_elements_text(CAST(:runs AS json)) WITH ORDINALITY AS e (v, n)
CROSS JOIN LATERAL (
    SELECT id, parent_run, state FROM history WHERE id = CAST(e.v AS uuid) AND task IS NOT NULL OFFSET 0) AS h
WHERE (SELECT p.id FROM run p WHERE p.id = h.parent_run) IS NOT NULL
ORDER BY e.n
