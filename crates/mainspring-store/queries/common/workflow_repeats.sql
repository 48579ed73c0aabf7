-- The row of a run that is to repeat another one.
INSERT INTO workflow_run (run_id, turn, paused, children) VALUES (:run, 0, 0, 0)
