DELETE FROM job_data WHERE job_id = :job
