-- Takes a turn. Zero rows: somebody else has.
UPDATE workflow_run SET turn = :next, stop = :stop, paused = :paused WHERE run_id = :run AND turn = :turn
