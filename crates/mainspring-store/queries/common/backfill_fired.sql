-- Runs that a trigger has fired, live and final, whose ids lie in a range.
SELECT r.fire_time, r.state, r.id FROM run r
WHERE r.id >= :from AND r.id < :to AND r.trigger_id = :trigger AND r.origin <> 'backfill'
UNION ALL
SELECT r.fire_time, r.state, r.id FROM history r
WHERE r.job_id = :job AND r.id >= :from AND r.id < :to AND r.trigger_id = :trigger AND r.origin <> 'backfill'
