INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue,
    input, rerun_of, expires_at)
VALUES (:id, :job, :job_version, :state, :origin, :gated, :fire_time, :at, :at, 0, :priority, :queue, :input, :rerun_of, :expires_at)
