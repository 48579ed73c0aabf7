-- The kept versions of a job, newest first.
SELECT v.version, v.saved_at, v.definition, v.saved_by, v.saved_from
FROM job_version v
WHERE v.job_id = :job AND v.version < :before
ORDER BY v.version DESC
LIMIT :limit
