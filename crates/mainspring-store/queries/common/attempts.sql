SELECT attempt, outcome, claimed_at, started_at, ended_at, exit_code, "signal", error_code, error
FROM attempt
WHERE run_id = :run
ORDER BY attempt
