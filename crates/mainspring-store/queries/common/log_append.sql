-- A chunk that is there already stays.
INSERT INTO log_chunk (run_id, attempt, first_line, line_count, data)
VALUES (:run, :attempt, :first_line, :line_count, :data)
ON CONFLICT (run_id, attempt, first_line) DO NOTHING
