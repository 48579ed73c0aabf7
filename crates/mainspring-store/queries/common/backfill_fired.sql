-- Runs that a trigger has fired, live and final, whose ids lie in a range.
SELECT fire_time, state, id FROM run
WHERE id >= :from AND id < :to AND trigger_id = :trigger AND origin <> 'backfill'
UNION ALL
SELECT fire_time, state, id FROM history
WHERE job_id = :job AND id >= :from AND id < :to AND trigger_id = :trigger AND origin <> 'backfill'
