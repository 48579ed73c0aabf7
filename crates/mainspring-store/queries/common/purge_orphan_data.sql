-- What a run has left whose end was recorded while its job was deleted.
DELETE FROM job_data
WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.id = job_data.job_id AND j.deleted_at IS NULL)
