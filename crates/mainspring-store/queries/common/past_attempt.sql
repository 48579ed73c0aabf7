-- Keeps an attempt of such a run that was followed by another one.
INSERT INTO attempt (run_id, attempt, outcome, claimed_at, started_at, ended_at, exit_code, error_code, error)
VALUES (:run, :attempt, :outcome, :started_at, :started_at, :ended_at, :exit_code, :error_code, :error)
