-- Notes all triggers of a job for the engine.
INSERT INTO trigger_change (trigger_id) SELECT id FROM job_trigger WHERE job_id = :job ORDER BY position
ON CONFLICT (trigger_id) DO NOTHING
