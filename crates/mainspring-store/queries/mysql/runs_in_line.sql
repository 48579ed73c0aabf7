-- Ids of runs that are queued in a line that no claim takes, newest first. The line is found by the index of such lines.
SELECT r.id
FROM run r
JOIN job j ON j.id = r.job_id
WHERE r.id >= :from AND r.id < :to
    AND (r.job_id = :job OR :job IS NULL)
    AND r.routed_line = :line
    AND (j.namespace = :namespace OR :namespace IS NULL)
    AND r.job_version < :versions
    AND (r.parent_run = :parent OR :parent IS NULL)
    AND (INSTR(:states, ',' || r.state || ',') > 0 OR :states IS NULL)
ORDER BY r.id DESC
LIMIT :limit
