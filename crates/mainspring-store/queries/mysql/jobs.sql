-- The text to look for is compared in the connection's collation, whichever way it travels.
SELECT j.id, j.version, j.change, j.paused, j.created_at, j.updated_at, v.definition
FROM job j
JOIN job_version v ON v.job_id = j.id AND v.version = j.version
WHERE j.deleted_at IS NULL
    AND ((j.namespace = :after_namespace AND j.name > :after_name) OR j.namespace > :after_namespace)
    AND (j.namespace = :namespace OR :namespace IS NULL)
    AND (INSTR(LOWER(j.name), LOWER(CAST(:contains AS CHAR))) > 0 OR :contains IS NULL)
    AND (j.paused = :paused OR :paused IS NULL)
    AND (EXISTS (
        SELECT 1 FROM job_label l WHERE l.job_id = j.id AND l.name = :label AND l.value = :label_value)
        OR :label IS NULL)
ORDER BY j.namespace, j.name
LIMIT :limit
