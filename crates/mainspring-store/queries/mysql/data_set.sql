INSERT INTO job_data (job_id, data, revision, run_id, changed_at)
VALUES (:job, :data, 1, :run, :at)
ON DUPLICATE KEY UPDATE data = VALUES(data), revision = revision + 1, run_id = VALUES(run_id),
    changed_at = VALUES(changed_at)
