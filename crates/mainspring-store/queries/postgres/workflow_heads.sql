-- What steps have to know of their runs, whose rows are locked. Those are found by their keys, in this order.
SELECT w.run_id, w.turn, w.children, r.job_id, r.job_version, r.gated, r.trigger_id
FROM workflow_run w
CROSS JOIN LATERAL (SELECT job_id, job_version, gated, trigger_id FROM run WHERE id = w.run_id OFFSET 0) r
WHERE w.run_id = ANY (ARRAY(SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS e (v)))
ORDER BY w.run_id
FOR UPDATE OF w
