-- Ids of final runs of a job, newest first.
SELECT r.id
FROM history r
JOIN job j ON j.id = r.job_id
WHERE r.job_id = :job AND r.id >= :from AND r.id < :to
    AND (j.namespace = :namespace OR :namespace IS NULL)
    AND r.job_version < :versions
    AND (r.parent_run = :parent OR :parent IS NULL)
    AND (INSTR(:states, ',' || r.state || ',') > 0 OR :states IS NULL)
ORDER BY r.id DESC
LIMIT :limit
