-- What a run has left whose end was recorded while its job was deleted.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
DELETE FROM job_data
WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.id = job_data.job_id AND j.deleted_at IS NULL LIMIT 1 OFFSET 0)
