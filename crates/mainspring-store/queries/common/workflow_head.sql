-- What a step has to know of its run.
SELECT w.run_id, w.turn, w.children, r.job_id, r.job_version, r.gated, r.trigger_id
FROM workflow_run w
JOIN run r ON r.id = w.run_id
WHERE w.run_id = :run
