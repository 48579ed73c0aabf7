-- Sets when the time of a run is over, or that it is.
UPDATE workflow_run SET expires_at = :expires_at WHERE run_id = :run
