-- The run of before comes first: MySQL reads what it has just set.
UPDATE backfill_item SET rerun_of = COALESCE(run_id, rerun_of), run_id = :run, state = 'running'
WHERE backfill_id = :id AND seq = :seq AND state = 'open'
