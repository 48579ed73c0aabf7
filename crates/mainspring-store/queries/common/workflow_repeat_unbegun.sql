-- The row of a run that is repeated and never began. Of two at once, one fails and is repeated whole.
INSERT INTO workflow_run (run_id, turn, paused, children, rerun_as) VALUES (:run, 0, 0, 0, :again)
