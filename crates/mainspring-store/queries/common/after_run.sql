-- `rerun_of` is the run that has ended; the origin 'parent' without a parent says so.
INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue,
    input, rerun_of, expires_at)
VALUES (:id, :job, :job_version, :trigger, :state, 'parent', :gated, :fire_time, :due_at, :at, 0, :priority, :queue, :input, :cause,
    :expires_at)
