DELETE FROM job_deadline WHERE job_id = :job
