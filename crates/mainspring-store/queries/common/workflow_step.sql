-- Takes a turn.
UPDATE workflow_run SET turn = :next, stop = :stop, paused = :paused, children = :children WHERE run_id = :run
