-- A run that repeats another one has its row already.
INSERT INTO workflow_run (run_id, turn, paused, children) VALUES (:run, 1, 0, 0)
ON CONFLICT (run_id) DO UPDATE SET turn = 1
