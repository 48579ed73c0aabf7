-- Whether a job is there.
SELECT 1 FROM job WHERE id = :job AND deleted_at IS NULL
