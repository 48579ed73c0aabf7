-- A fire's run. Zero rows: it is there.
INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, claimed_at,
    claimed_by, attempt, priority, queue, expires_at, input)
VALUES (:id, :job, :job_version, :trigger, :state, :origin, :gated, :fire_time, :due_at, :created_at, :claimed_at,
    :claimed_by, :attempt, :priority, :queue, :expires_at,
    :input)
ON CONFLICT (id) DO NOTHING
