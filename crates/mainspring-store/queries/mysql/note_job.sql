-- Notes all triggers of a job for the engine.
REPLACE INTO trigger_change (shard, trigger_id)
SELECT s.shard, s.id FROM job_trigger t JOIN trigger_state s ON s.id = t.id WHERE t.job_id = :job ORDER BY t.position
