-- A chunk that is there already stays.
INSERT INTO log_chunk (run_id, attempt, first_line, line_count, data)
VALUES (:run, :attempt, :first_line, :line_count, :data)
ON DUPLICATE KEY UPDATE line_count = line_count
