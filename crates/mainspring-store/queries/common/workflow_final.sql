SELECT r.job_id, j.namespace, j.name, r.job_version, r.fire_time, r.priority, r.input, w.turn, w.stop, w.paused, r.state, w.rerun_as, w.expires_at
FROM workflow_run w
JOIN history r ON r.id = w.run_id
JOIN job j ON j.id = r.job_id
WHERE w.run_id = :run
