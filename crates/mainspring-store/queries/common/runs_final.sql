-- Ids of final runs, newest first.
SELECT r.id
FROM history r
JOIN job j ON j.id = r.job_id
WHERE r.id >= :from AND r.id < :to
    AND (:namespace IS NULL OR j.namespace = :namespace)
    AND (:states IS NULL OR INSTR(:states, ',' || r.state || ',') > 0)
ORDER BY r.id DESC
LIMIT :limit
