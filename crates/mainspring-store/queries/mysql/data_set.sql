-- What a job keeps, if it is there.
INSERT INTO job_data (job_id, data, revision, run_id, changed_at)
SELECT id, :data, 1, CAST(:run AS BINARY), :at FROM job WHERE id = :job AND deleted_at IS NULL
ON DUPLICATE KEY UPDATE data = VALUES(data), revision = job_data.revision + 1, run_id = VALUES(run_id),
    changed_at = VALUES(changed_at)
