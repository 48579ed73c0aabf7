-- Takes a turn, so that whoever has the run in memory reads it again.
UPDATE workflow_run SET turn = turn + 1 WHERE run_id = :run AND turn > 0
