-- Takes a turn. Zero rows: somebody else has.
UPDATE workflow_run SET turn = :next, stop = :stop, paused = :paused, children = :children
WHERE run_id = :run AND turn = :turn
