-- Versions of definitions that nothing refers to any more.
DELETE gone
FROM job_version AS gone
JOIN (
    SELECT v.job_id, v.version
    FROM job_version v
    JOIN job j ON j.id = v.job_id
    WHERE (v.version < j.version OR j.deleted_at IS NOT NULL) AND v.saved_at < :before
        AND NOT EXISTS (SELECT 1 FROM history h WHERE h.job_id = v.job_id AND h.job_version = v.version)
        AND NOT EXISTS (SELECT 1 FROM run r WHERE r.job_id = v.job_id AND r.job_version = v.version)
        AND NOT EXISTS (SELECT 1 FROM backfill b WHERE b.job_id = v.job_id AND b.job_version = v.version)
    LIMIT :limit) AS old ON old.job_id = gone.job_id AND old.version = gone.version
