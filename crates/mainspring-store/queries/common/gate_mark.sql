-- From now on these runs count in job_gate.
UPDATE run SET gated = 1 WHERE job_id = :job AND gated = 0 AND parent_run IS NULL AND origin <> 'backfill'
