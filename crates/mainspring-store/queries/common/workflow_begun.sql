INSERT INTO workflow_run (run_id, turn, paused, children) VALUES (:run, 1, 0, 0)
