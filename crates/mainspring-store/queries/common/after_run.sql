-- The run that follows the end of another one, its cause.
INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue,
    input, cause, expires_at)
VALUES (:id, :job, :job_version, :trigger, :state, 'after', :gated, :fire_time, :due_at, :at, 0, :priority, :queue, :input, :cause,
    :expires_at)
