-- The newest gaps of a trigger before a position, with its name.
SELECT g.seq, j.namespace, j.name, g.trigger_id, g.at, g.first_at, g.last_at, g.count, g.outcome, g.reason, g.policy,
    COALESCE(t.name, b.name)
FROM fire_gap g
JOIN job j ON j.id = g.job_id
LEFT JOIN job_trigger t ON t.id = g.trigger_id
LEFT JOIN tombstone b ON b.trigger_id = g.trigger_id
WHERE g.trigger_id = :trigger AND g.seq < :before
ORDER BY g.seq DESC
LIMIT :limit
