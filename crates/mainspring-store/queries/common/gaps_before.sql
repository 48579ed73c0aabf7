-- The newest gaps before a position, with the names of their triggers.
SELECT g.seq, j.namespace, j.name, g.trigger_id, g.at, g.first_at, g.last_at, g.count, g.outcome, g.reason, g.policy,
    (SELECT MAX(i.backfill_id) FROM backfill_item i
        WHERE i.trigger_id = g.trigger_id AND i.fire_time >= g.first_at AND i.fire_time <= g.last_at AND i.run_id IS NOT NULL),
    (SELECT COUNT(DISTINCT i.fire_time) FROM backfill_item i
        WHERE i.trigger_id = g.trigger_id AND i.fire_time >= g.first_at AND i.fire_time <= g.last_at AND i.run_id IS NOT NULL),
    COALESCE(t.name, b.name)
FROM fire_gap g
JOIN job j ON j.id = g.job_id
LEFT JOIN job_trigger t ON t.id = g.trigger_id
LEFT JOIN tombstone b ON b.trigger_id = g.trigger_id
WHERE g.seq < :before
ORDER BY g.seq DESC
LIMIT :limit
