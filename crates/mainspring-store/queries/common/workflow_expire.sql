-- Takes note that the time of a run is over. Zero rows: somebody else has.
UPDATE workflow_run SET expires_at = NULL WHERE run_id = :run AND expires_at > 0 AND expires_at <= :at
