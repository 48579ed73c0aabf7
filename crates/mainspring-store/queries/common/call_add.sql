-- Notes for which task of which workflow run a run was started.
INSERT INTO workflow_call (child, parent, task, job_id, fire_time, backfilled)
VALUES (:child, :parent, :task, :job, :fire_time, :backfilled)
