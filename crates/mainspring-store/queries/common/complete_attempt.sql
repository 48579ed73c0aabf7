-- Keeps what an attempt left that is followed by another one.
INSERT INTO attempt (run_id, attempt, outcome, claimed_at, started_at, ended_at, exit_code, "signal", error_code, error)
SELECT id, attempt, :outcome, claimed_at, :started_at, :ended_at, :exit_code, :signal, :error_code, :error
FROM run
WHERE id = :id
