-- Keeps a run that another scheduler has executed.
INSERT INTO history (id, job_id, job_version, state, origin, fire_time, due_at, created_at, claimed_at, started_at, ended_at,
    attempt, outcome, priority, queue, reason, input, output, exit_code, error_code, error)
VALUES (:id, :job, :version, :state, :origin, :due_at, :due_at, :at, :started_at, :started_at, :ended_at,
    :attempt, :outcome, 0, :queue, :reason, :input, :output, :exit_code, :error_code, :error)
