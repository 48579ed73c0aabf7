-- A part that is sent again takes the place of the one before.
INSERT INTO run_output (run_id, attempt, part, bytes)
VALUES (:run, :attempt, :part, :bytes)
ON CONFLICT (run_id, attempt, part) DO UPDATE SET bytes = excluded.bytes
