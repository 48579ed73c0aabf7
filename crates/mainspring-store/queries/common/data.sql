-- What a job keeps between its runs. Read where a start of a job that keeps data is prepared.
SELECT d.data, d.revision, d.run_id, d.changed_at
FROM job_data d
JOIN job j ON j.id = d.job_id
WHERE d.job_id = :job AND j.deleted_at IS NULL
