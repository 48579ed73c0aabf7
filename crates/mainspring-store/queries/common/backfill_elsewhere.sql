-- Fire times of a trigger whose runs other backfills have under way. The offset keeps PostgreSQL from a join that reads runs whole.
SELECT i.fire_time
FROM backfill b
JOIN backfill_item i ON i.backfill_id = b.id AND i.state = 'running'
WHERE b.ended_at IS NULL AND b.trigger_id = :trigger AND b.id <> :id
    AND EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id LIMIT 1 OFFSET 0)
