-- Ids of unfinished runs, newest first.
SELECT r.id
FROM run r
JOIN job j ON j.id = r.job_id
WHERE r.id >= :from AND r.id < :to
    AND (:job IS NULL OR r.job_id = :job)
    AND (:namespace IS NULL OR j.namespace = :namespace)
    AND (:states IS NULL OR INSTR(:states, ',' || r.state || ',') > 0)
ORDER BY r.id DESC
LIMIT :limit
