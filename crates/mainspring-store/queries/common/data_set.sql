-- What a job keeps, if it is there.
INSERT INTO job_data (job_id, data, revision, run_id, changed_at)
SELECT id, :data, 1, :run, :at FROM job WHERE id = :job AND deleted_at IS NULL
ON CONFLICT (job_id) DO UPDATE
SET data = excluded.data, revision = job_data.revision + 1, run_id = excluded.run_id, changed_at = excluded.changed_at
