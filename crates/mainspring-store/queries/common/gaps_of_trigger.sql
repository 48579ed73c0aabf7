SELECT g.seq, j.namespace, j.name, g.trigger_id, g.at, g.first_at, g.last_at, g.count, g.outcome, g.reason, g.policy
FROM fire_gap g
JOIN job j ON j.id = g.job_id
WHERE g.trigger_id = :trigger AND g.seq > :after
ORDER BY g.seq
LIMIT :limit
